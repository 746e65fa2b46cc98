#include "verify/weight_survey.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr int64_t kPiece = int64_t{1} << 16;

struct Survey {
  int64_t not_finite = 0;
  int64_t first_not_finite = -1;
  bool positive = true;
};

Survey Look(const Tensor& tensor) {
  Survey survey;
  std::vector<double> values;
  for (int64_t begin = 0; begin < tensor.size(); begin += kPiece) {
    values.resize(std::min(kPiece, tensor.size() - begin));
    ReadDoubles(tensor, begin, values);
    for (size_t i = 0; i < values.size(); ++i) {
      survey.positive &= values[i] > 0;
      if (std::isfinite(values[i])) continue;
      if (survey.not_finite++ > 0) continue;
      survey.first_not_finite = begin + static_cast<int64_t>(i);
    }
  }
  return survey;
}

void CheckFinite(const Survey& survey, const std::string& name) {
  if (survey.not_finite == 0) return;
  throw Error(ErrorCode::kBadInput,
              "tensor " + Quoted(name) + ": " +
                  std::to_string(survey.not_finite) +
                  " values are NaN or infinite, the first at index " +
                  std::to_string(survey.first_not_finite),
              "a model with such values cannot be verified");
}

}  // namespace

std::set<std::string> FindPositiveWeights(const Graph& graph,
                                          const Checkpoint& model,
                                          int threads) {
  const auto& weights = graph.weights();
  std::vector<Survey> surveys(weights.size());
  ThreadPool pool(threads);
  pool.For(static_cast<int64_t>(weights.size()), [&](int64_t i) {
    surveys[i] = Look(*model.Find(graph.values()[weights[i]].name));
  });
  std::set<std::string> positive;
  for (size_t i = 0; i < weights.size(); ++i) {
    const std::string& name = graph.values()[weights[i]].name;
    CheckFinite(surveys[i], name);
    if (surveys[i].positive) positive.insert(name);
  }
  return positive;
}

}  // namespace rebasin
