#include "rebasin/nn/repair.h"

#include <cmath>

#include "rebasin/error.h"
#include "rebasin/nn/calibrate.h"

namespace rebasin {
namespace {

// The share of the calibration data that is held out to compare candidates.
constexpr double kHeldOutShare = 0.2;
constexpr int64_t kMinExamples = 20;

using Calibrate = Checkpoint (*)(const MergedModel& merged, const Dataset& data,
                                 const CalibrateOptions& options,
                                 const Run& run);

Checkpoint Unchanged(const MergedModel& merged, const Dataset&,
                     const CalibrateOptions&, const Run&) {
  return merged.merged;
}

Checkpoint Recalculated(const MergedModel& merged, const Dataset& data,
                        const CalibrateOptions& options, const Run& run) {
  return RecalculateBatchNorm(merged.graph, merged.merged, data, options, run);
}

template <ActivationRepair method>
Checkpoint Corrected(const MergedModel& merged, const Dataset& data,
                     const CalibrateOptions& options, const Run& run) {
  return RepairActivations(merged.graph, merged.merged, merged.models,
                           merged.shares, data, method, options, run);
}

Checkpoint WithBiases(const MergedModel& merged, const Dataset&,
                      const CalibrateOptions&, const Run&) {
  return CorrectBiases(*merged.graph, merged.merged, merged.models,
                       merged.shares);
}

// By the names of RepairMethods().
struct RepairFunction {
  const char* name;
  Calibrate function;
};
constexpr RepairFunction kFunctions[] = {
    {"none", Unchanged},
    {"bn", Recalculated},
    {"repair", Corrected<ActivationRepair::kRepair>},
    {"rescale", Corrected<ActivationRepair::kRescale>},
    {"bias", WithBiases},
};

Calibrate FunctionOf(const std::string& name) {
  for (const RepairFunction& row : kFunctions) {
    if (name == row.name) return row.function;
  }
  throw Error(ErrorCode::kUsage, "there is no repair " + Quoted(name));
}

CalibrateOptions CalibrationOptions(const RepairOptions& options) {
  return {.compute = options.compute, .normalization = options.normalization};
}

HeldOut PartsOf(const RepairOptions& options, const Run& run) {
  const Dataset& data = options.calibration;
  if (!data.has_labels() || data.size() < kMinExamples) {
    throw Error(ErrorCode::kMismatch,
                "--repair auto compares methods on labelled data, and needs at "
                "least 20 examples with labels",
                "name the method");
  }
  const double held_out_examples =
      kHeldOutShare * static_cast<double>(data.size());
  return HoldOut(data, static_cast<int64_t>(held_out_examples),
                 /*full_batches=*/false, run.seed);
}

// A loss that is not a number is never the best.
std::string BestOf(const std::vector<TriedRepair>& tried) {
  const TriedRepair* best = nullptr;
  for (const TriedRepair& one : tried) {
    const double loss = one.evaluation.calibrated_loss;
    const bool lower = best == nullptr
                           ? !std::isnan(one.evaluation.loss)
                           : loss < best->evaluation.calibrated_loss;
    if (lower) best = &one;
  }
  return best == nullptr ? "none" : best->method;
}

RepairResult TryAll(const MergedModel& merged, const RepairOptions& options,
                    const Run& run) {
  const HeldOut parts = PartsOf(options, run);
  std::vector<std::string> methods = RepairsFor(*merged.graph);
  methods.insert(methods.begin(), "none");
  RepairResult result{.held_out_examples = parts.held_out.size()};
  for (const std::string& method : methods) {
    const Checkpoint model = FunctionOf(method)(
        merged, parts.train, CalibrationOptions(options), run);
    result.tried.push_back(
        {method, Evaluate(merged.graph, model, parts.held_out,
                          {.compute = options.compute,
                           .normalization = options.normalization,
                           .find_temperature = true},
                          run)});
  }
  result.kept = BestOf(result.tried);
  return result;
}

}  // namespace

RepairResult Repair(const MergedModel& merged, const RepairOptions& options,
                    const Run& run) {
  RepairResult result{.kept = options.method};
  if (options.method == "auto") result = TryAll(merged, options, run);
  result.examples = options.calibration.size();
  result.model = FunctionOf(result.kept)(merged, options.calibration,
                                         CalibrationOptions(options), run);
  return result;
}

}  // namespace rebasin
