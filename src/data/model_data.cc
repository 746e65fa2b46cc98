#include <cmath>

#include "base/text.h"
#include "data/example_reader.h"
#include "rebasin/nn/data.h"

namespace rebasin {
namespace {

// Enough to estimate the scale of the values.
constexpr int64_t kSampled = 500;
// Other data than that of the training may well differ by a third of a
// deviation; values of another scale, or inverted images, differ by far more.
constexpr double kLargestMean = 1;
constexpr double kLargestRatio = 2.5;

struct Statistics {
  double mean = 0;
  double deviation = 0;
};

// Mean and deviation of the normalised values, over all channels.
Statistics StatisticsOf(const Dataset& data,
                        const Normalization& normalization) {
  const ExampleReader reader(data, normalization);
  std::vector<float> example(static_cast<size_t>(data.example_size()));
  const int64_t step = std::max<int64_t>(1, data.size() / kSampled);
  double sum = 0, squares = 0, count = 0;
  for (int64_t e = 0; e < data.size(); e += step) {
    reader.Read(e, example);
    for (const float x : example) {
      sum += x;
      squares += static_cast<double>(x) * x;
    }
    count += static_cast<double>(example.size());
  }
  if (count == 0) return {.mean = 0, .deviation = 1};
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

void WarnIfUnusual(const ModelData& data, const Dataset& part, const Run& run) {
  if (data.normalization.mean.empty()) return;
  const auto [mean, deviation] = StatisticsOf(part, data.normalization);
  const bool usual = std::abs(mean) <= kLargestMean &&
                     deviation <= kLargestRatio &&
                     deviation >= 1 / kLargestRatio;
  if (usual) return;
  run.Warn(part.name() + ", normalised as " + data.normalize + ", has mean " +
           Number(mean, 3) + " and deviation " + Number(deviation, 3) +
           "; networks are trained at about 0 and 1, so --normalize may be "
           "wrong for this data");
}

}  // namespace

Dataset ModelData::Calibration(int64_t count, uint64_t seed) const {
  return SelectRandom(splits.train.empty() ? splits.test : splits.train, count,
                      seed);
}

Dataset ModelData::BesideCalibration(int64_t used, int64_t count,
                                     uint64_t seed) const {
  const Dataset drawn = Calibration(used + count, seed);
  std::vector<int64_t> rows;
  for (int64_t row = used; row < drawn.size(); ++row) rows.push_back(row);
  return drawn.Select(rows);
}

std::string ModelData::Describe(const Dataset& part) const {
  if (normalize == "none") return part.name() + ", not normalised";
  return part.name() + ", normalised as " + normalize;
}

ModelData OpenDataFor(std::span<const Checkpoint* const> models,
                      const std::filesystem::path& path,
                      const std::string& asked, const DataOptions& options,
                      const Run& run) {
  ModelData data{.splits = OpenData(path, options, run),
                 .normalize = AgreedNormalization(asked, models)};
  const Dataset& part =
      data.splits.train.empty() ? data.splits.test : data.splits.train;
  if (!asked.empty()) {
    data.source = NormalizationSource::kAsked;
  } else if (!data.normalize.empty()) {
    data.source = NormalizationSource::kMetadata;
  } else {
    data.source = NormalizationSource::kAssumed;
    data.normalize = DefaultNormalization(part);
    if (!models.empty() && data.normalize != "none") {
      run.Warn("the models do not say how their data was normalised; " +
               data.normalize + " is assumed, --normalize says otherwise");
    }
  }
  data.normalization = ParseNormalization(data.normalize);
  WarnIfUnusual(data, part, run);
  return data;
}

}  // namespace rebasin
