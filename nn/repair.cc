#include "rebasin/nn/repair.h"

#include <string>
#include <utility>
#include <vector>

#include "nn/trial.h"
#include "rebasin/error.h"
#include "rebasin/nn/calibrate.h"

namespace rebasin {
namespace {

// The share of the calibration data that is held out to compare candidates, if
// there are no other examples.
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

Checkpoint Fitted(const MergedModel& merged, const Dataset& data,
                  const CalibrateOptions& options, const Run& run) {
  return FitToParents(merged.graph, merged.merged, merged.models, merged.shares,
                      data, options, run);
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
    {"least-squares", Fitted},
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

Checkpoint RunMethod(const std::string& name, const MergedModel& merged,
                     const Dataset& data, const RepairOptions& options,
                     const Run& run) {
  return FunctionOf(name)(
      merged, data,
      {.compute = options.compute, .normalization = options.normalization},
      run);
}

// The examples that candidates are made with and compared on.
struct TrialData {
  Dataset calibration, held_out;
  // Whether the candidates have seen all calibration examples.
  bool complete = false;
};

TrialData TrialDataOf(const RepairOptions& options, const Run& run) {
  const Dataset& given = options.held_out;
  if (given.has_labels() && given.size() >= kMinExamples) {
    return {options.calibration, given, true};
  }
  const Dataset& data = options.calibration;
  if (!data.has_labels() || data.size() < kMinExamples) {
    throw Error(ErrorCode::kMismatch,
                "--repair auto compares methods on labelled data, and needs at "
                "least 20 examples with labels",
                "name the method; least-squares needs no labels");
  }
  const double held_out_examples =
      kHeldOutShare * static_cast<double>(data.size());
  const HeldOut parts = HoldOut(data, static_cast<int64_t>(held_out_examples),
                                /*full_batches=*/false, run.seed);
  return {parts.train, parts.held_out, false};
}

RepairResult TryAll(const MergedModel& merged, const RepairOptions& options,
                    const Run& run) {
  const TrialData data = TrialDataOf(options, run);
  const nn::Trial trial(merged.graph, merged.models, data.held_out,
                        options.compute, options.normalization, run);
  std::vector<std::string> methods = RepairsFor(*merged.graph);
  methods.insert(methods.begin(), "none");
  RepairResult result{.held_out_examples = data.held_out.size()};
  std::vector<nn::TrialResult> tried;
  size_t best = 0;  // "none"
  for (size_t m = 0; m < methods.size(); ++m) {
    Checkpoint model =
        RunMethod(methods[m], merged, data.calibration, options, run);
    tried.push_back(trial.Try(model));
    result.tried.push_back(
        {methods[m], tried.back().evaluation, tried.back().kept});
    best = nn::BestOf(tried).value_or(0);
    if (best == m) result.model = std::move(model);
  }
  result.kept = methods[best];
  if (!data.complete) {
    result.model =
        RunMethod(result.kept, merged, options.calibration, options, run);
  }
  return result;
}

}  // namespace

RepairResult Repair(const MergedModel& merged, const RepairOptions& options,
                    const Run& run) {
  RepairResult result;
  if (options.method == "auto") {
    result = TryAll(merged, options, run);
  } else {
    result.kept = options.method;
    result.model =
        RunMethod(options.method, merged, options.calibration, options, run);
  }
  result.examples = options.calibration.size();
  return result;
}

}  // namespace rebasin
