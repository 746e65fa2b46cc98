#include "cli/measure_line.h"

#include "cli/arguments.h"
#include "cli/data_flags.h"
#include "cli/repair.h"

namespace rebasin::cli {

Line MeasureLine(const LineSetup& setup, const Checkpoint& a,
                 const Checkpoint& b, const std::string& repair,
                 const std::string& stage, Progress& progress) {
  InterpolateOptions options = setup.options;
  options.progress = [&](int64_t done, int64_t all) {
    progress.Update(stage, done, all);
  };
  if (repair != "none") {
    options.repair = [&](const Checkpoint& point, double lambda) {
      return RunRepair(repair,
                       {setup.graph, {a, b}, {1 - lambda, lambda}, point},
                       setup.calibration,
                       {.compute = setup.options.evaluate.compute,
                        .normalization = setup.options.evaluate.normalization});
    };
  }
  return Interpolate(setup.graph, {.model = &a}, {.model = &b}, setup.parts,
                     options);
}

DataSplits SelectParts(const DataSplits& splits, const std::string& part,
                       const std::string& samples) {
  DataSplits selected = splits;
  if (part == "train") selected.test = {};
  if (part == "test") selected.train = {};
  if (part != "train" && part != "test" && part != "both") {
    FailChoice("--part", part, {"both", "train", "test"});
  }
  if (!samples.empty()) {
    const int64_t count =
        ParseInteger("--samples", samples, 1, int64_t{1} << 40);
    selected.train = SelectFirst(selected.train, count);
    selected.test = SelectFirst(selected.test, count);
  }
  return selected;
}

}  // namespace rebasin::cli
