#include "rebasin/nn/repair.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

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

CalibrateOptions CalibrationOptions(const RepairOptions& options) {
  return {.compute = options.compute, .normalization = options.normalization};
}

HeldOut PartsOf(const RepairOptions& options, const Run& run) {
  const Dataset& data = options.calibration;
  if (!data.has_labels() || data.size() < kMinExamples) {
    throw Error(ErrorCode::kMismatch,
                "--repair auto compares methods on labelled data, and needs at "
                "least 20 examples with labels",
                "name the method; least-squares needs no labels");
  }
  const double held_out_examples =
      kHeldOutShare * static_cast<double>(data.size());
  return HoldOut(data, static_cast<int64_t>(held_out_examples),
                 /*full_batches=*/false, run.seed);
}

// Evaluates candidates on the held-out examples, and compares them with the
// parents.
class Trial {
 public:
  Trial(const MergedModel& merged, const RepairOptions& options,
        const Dataset& held_out, const Run& run)
      : graph_(merged.graph),
        options_{.compute = options.compute,
                 .normalization = options.normalization,
                 .find_temperature = true,
                 .keep_predictions = true},
        held_out_(held_out),
        run_(run) {
    for (int64_t e = 0; e < held_out.size(); ++e) {
      labels_.push_back(held_out.label(e));
    }
    if (merged.models.size() < 2) return;
    for (const Checkpoint& parent : merged.models) {
      parents_.push_back(Measure(parent).predictions);
    }
  }

  TriedRepair Try(const std::string& method, const Checkpoint& model) const {
    TriedRepair tried{.method = method, .evaluation = Measure(model)};
    if (!parents_.empty()) {
      tried.kept = WhatIsKept(labels_, parents_, tried.evaluation.predictions);
    }
    return tried;
  }

 private:
  Evaluation Measure(const Checkpoint& model) const {
    return Evaluate(graph_, model, held_out_, options_, run_);
  }

  std::shared_ptr<const Graph> graph_;
  EvaluateOptions options_;
  const Dataset& held_out_;
  const Run& run_;
  std::vector<int32_t> labels_;
  std::vector<Predictions> parents_;
};

// A damaged copy of one parent may well have the lowest loss, but it is no
// merge. A loss that is not a number is never the best.
bool MayBeKept(const TriedRepair& tried) {
  return !std::isnan(tried.evaluation.loss) &&
         tried.kept.verdict != MergeVerdict::kMostlyOne;
}

std::string BestOf(const std::vector<TriedRepair>& tried) {
  const TriedRepair* best = nullptr;
  for (const TriedRepair& one : tried) {
    if (!MayBeKept(one)) continue;
    const double loss = one.evaluation.calibrated_loss;
    if (best == nullptr || loss < best->evaluation.calibrated_loss) best = &one;
  }
  return best == nullptr ? "none" : best->method;
}

RepairResult TryAll(const MergedModel& merged, const RepairOptions& options,
                    const Run& run) {
  const HeldOut parts = PartsOf(options, run);
  const Trial trial(merged, options, parts.held_out, run);
  std::vector<std::string> methods = RepairsFor(*merged.graph);
  methods.insert(methods.begin(), "none");
  RepairResult result{.held_out_examples = parts.held_out.size()};
  for (const std::string& method : methods) {
    result.tried.push_back(trial.Try(
        method, FunctionOf(method)(merged, parts.train,
                                   CalibrationOptions(options), run)));
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
