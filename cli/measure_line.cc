#include "cli/measure_line.h"

#include "cli/arguments.h"
#include "cli/data_flags.h"
#include "rebasin/nn/repair.h"

namespace rebasin::cli {

Line MeasureLine(const LineSetup& setup, const Checkpoint& a,
                 const Checkpoint& b, const std::string& repair,
                 const Run& run) {
  InterpolateOptions options = setup.options;
  if (repair != "none") {
    options.repair = [&](const Checkpoint& point, double lambda) {
      return Repair({setup.graph, {a, b}, {1 - lambda, lambda}, point},
                    {.method = repair,
                     .calibration = setup.calibration,
                     .normalization = setup.options.evaluate.normalization,
                     .compute = setup.options.evaluate.compute},
                    run.WithoutProgress())
          .model;
    };
  }
  return Interpolate(setup.graph, {.model = &a}, {.model = &b}, setup.parts,
                     options, run);
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
