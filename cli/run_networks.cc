// What rebasin-nn can do and rebasin cannot (see cli/networks.h).

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/networks.h"
#include "cli/repair.h"
#include "nn/processor.h"
#include "nn/verify_data.h"
#include "rebasin/error.h"
#include "rebasin/evaluate.h"

namespace rebasin::cli {
namespace {

// The part of the calibration data that judges and does not teach.
constexpr double kHeldBack = 0.2;

struct Parts {
  Dataset teach, judge;
};

Parts HoldBack(const Dataset& data) {
  const auto judged = std::max<int64_t>(
      1, static_cast<int64_t>(kHeldBack * static_cast<double>(data.size())));
  std::vector<int64_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), 0);
  const std::span<const int64_t> all = rows;
  return {data.Select(all.subspan(judged)), data.Select(all.first(judged))};
}

// Tries all that applies, judges on what was held back, and keeps the best,
// made once more with all of the data. The judge is the loss at the temperature
// that suits each: merged networks are far too sure of themselves, and the
// plain loss would rather have one that is wrong with modesty.
Repaired TryAll(const Merged& merged, const Dataset& calibration,
                const CalibrateOptions& options) {
  if (!calibration.has_labels() || calibration.size() < 20) {
    throw Error(ErrorCode::kMismatch,
                "--repair auto judges by labels, and needs 20 examples",
                "name the method");
  }
  const Parts parts = HoldBack(calibration);
  EvaluateOptions evaluate;
  evaluate.compute = options.compute;
  evaluate.normalization = options.normalization;
  evaluate.find_temperature = true;
  std::vector<std::string> methods = RepairsFor(*merged.graph);
  methods.insert(methods.begin(), "none");
  Table table("lrrr", {"repair", "loss", "calibrated", "accuracy"});
  Json tried = Json::array();
  std::string best;
  double least = 0;
  for (const std::string& method : methods) {
    const Checkpoint model = RunRepair(method, merged, parts.teach, options);
    const Evaluation found =
        Evaluate(merged.graph, model, parts.judge, evaluate);
    table.Add({method, Number(found.loss), Number(found.calibrated_loss),
               Percent(found.accuracy)});
    tried.push_back({{"repair", method},
                     {"loss", found.loss},
                     {"calibrated_loss", found.calibrated_loss},
                     {"accuracy", found.accuracy}});
    // A loss that is not a number is never the best.
    if (best.empty() ? !std::isnan(found.loss)
                     : found.calibrated_loss < least) {
      best = method;
      least = found.calibrated_loss;
    }
  }
  if (best.empty()) best = "none";
  return {.model = RunRepair(best, merged, calibration, options),
          .text = "tried on " + Count(parts.judge.size(), "example") +
                  " held back:\n" + table.Text() + "kept: " + best + "\n",
          .json = {{"tried", std::move(tried)}, {"kept", best}}};
}

}  // namespace

void PrepareProcess() {
  nn::AvoidTileRegisters();
  nn::KeepFreedMemory();
}

void NeedNetworks(const Context&) {}

Repaired RepairWithData(const RepairRequest& request, const Checkpoint& model,
                        const DataFlags& flags, Console& console,
                        Progress& progress) {
  const OpenedData opened = flags.Open(console, {&model});
  const Dataset calibration =
      CalibrationData(opened.splits, request.calibration_examples);
  CalibrateOptions options;
  options.compute.threads = console.context().threads;
  options.normalization = opened.normalization;
  options.progress = [&](int64_t done, int64_t all) {
    progress.Update("repairing", done, all);
  };
  const Merged merged{request.graph, request.models, request.shares, model};
  if (request.method == "auto") return TryAll(merged, calibration, options);
  return {.model = RunRepair(request.method, merged, calibration, options),
          .text = "repaired (" + request.method + ") with " +
                  Count(calibration.size(), "example") + "\n",
          .json = {{"kept", request.method}}};
}

VerifyReport VerifyOnData(const std::shared_ptr<const Graph>& graph,
                          const Checkpoint& model, const Alignment& alignment,
                          const OpenedData& data, const Context& context) {
  return nn::VerifyOnData(graph, model, alignment,
                          CalibrationData(data.splits, 1000),
                          data.normalization, context.threads);
}

}  // namespace rebasin::cli
