#include "formats/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "io/sha256.h"

namespace rebasin {
namespace {

constexpr int64_t kPiece = 1024;

// Calls `use` for every finite element and returns the number of other
// elements.
template <typename Use>
int64_t ForFinite(const Tensor& tensor, const Use& use) {
  int64_t others = 0;
  std::array<double, kPiece> piece;
  for (int64_t at = 0; at < tensor.size(); at += kPiece) {
    const auto values = std::span(piece).first(
        static_cast<size_t>(std::min(kPiece, tensor.size() - at)));
    ReadDoubles(tensor, at, values);
    for (const double value : values) {
      std::isfinite(value) ? use(value) : static_cast<void>(++others);
    }
  }
  return others;
}

// Deviations are computed in a second pass from the mean; the difference of
// large sums would lose precision.
void AddNumbers(const Tensor& tensor, TensorSummary& summary) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double sum = 0, least = kInfinity, most = -kInfinity;
  summary.nonfinite = ForFinite(tensor, [&](double value) {
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  });
  const auto count = static_cast<double>(tensor.size() - summary.nonfinite);
  if (count == 0) return;
  double squares = 0;
  const double mean = sum / count;
  ForFinite(tensor,
            [&](double value) { squares += (value - mean) * (value - mean); });
  summary.mean = mean;
  summary.deviation = std::sqrt(squares / count);
  summary.least = least;
  summary.most = most;
}

TensorSummary SummarizeTensor(const Tensor& tensor) {
  TensorSummary summary;
  summary.name = tensor.name;
  summary.dtype = tensor.dtype;
  summary.shape = tensor.shape;
  summary.sha256 = Sha256Of(tensor.bytes);
  if (IsArithmetic(tensor.dtype)) AddNumbers(tensor, summary);
  return summary;
}

}  // namespace

std::vector<TensorSummary> Summarize(const Checkpoint& model, int threads) {
  std::vector<TensorSummary> summaries(model.tensors().size());
  ThreadPool pool(threads);
  pool.For(static_cast<int64_t>(summaries.size()), [&](int64_t t) {
    const auto index = static_cast<size_t>(t);
    summaries[index] = SummarizeTensor(model.tensors()[index]);
  });
  std::sort(summaries.begin(), summaries.end(),
            [](const TensorSummary& a, const TensorSummary& b) {
              return a.name < b.name;
            });
  return summaries;
}

}  // namespace rebasin
