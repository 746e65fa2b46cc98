#include "rebasin/nn/data.h"

namespace rebasin {

Dataset ModelData::Calibration(int64_t count) const {
  return SelectFirst(splits.train.empty() ? splits.test : splits.train, count);
}

ModelData OpenDataFor(std::span<const Checkpoint* const> models,
                      const std::filesystem::path& path,
                      const std::string& asked, const DataOptions& options,
                      const Run& run) {
  ModelData data{.splits = OpenData(path, options, run),
                 .normalize = AgreedNormalization(asked, models)};
  if (data.normalize.empty()) {
    const DataSplits& splits = data.splits;
    data.normalize =
        DefaultNormalization(splits.train.empty() ? splits.test : splits.train);
  }
  data.normalization = ParseNormalization(data.normalize);
  return data;
}

}  // namespace rebasin
