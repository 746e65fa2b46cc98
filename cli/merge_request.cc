#include "cli/merge_request.h"

#include <cmath>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/option_adder.h"
#include "cli/repaired.h"
#include "onnx/format.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

const std::string& Interpolation(const MergeFlags& flags) {
  return flags.method.empty() ? flags.interpolation : flags.method;
}

[[noreturn]] void FailUsage(const std::string& what,
                            const std::string& hint = "") {
  throw Error(ErrorCode::kUsage, what, hint);
}

std::vector<double> ParseWeights(const MergeFlags& flags) {
  if (!flags.weights.empty()) return ParseShares("--weights", flags.weights);
  if (flags.lambda.empty()) return {};
  if (flags.models.size() != 2) {
    FailUsage("--lambda is for two models", "use --weights for more");
  }
  const double share = ParseShare("--lambda", flags.lambda);
  return {1 - share, share};
}

void CheckCombination(const MergeFlags& flags, const MergeRequest& request) {
  if (flags.models.size() < 2) FailUsage("a merge needs at least two models");
  if (!request.align && request.jointly) {
    FailUsage(
        "--interpolation many aligns the models; it excludes --align none");
  }
  const bool many = request.align && request.UsesMany(flags.models.size());
  if (!flags.many.empty() && !many) {
    FailUsage(
        "--many needs models that are aligned jointly (--interpolation many)",
        "more than two models always are, unless with --align none");
  }
  if (many && flags.match.structure.symmetries != "permute") {
    FailUsage("--symmetries " + flags.match.structure.symmetries +
                  " needs two models, of which one is aligned to the other",
              "merge more models with --symmetries permute");
  }
  if (many && request.job.method != "weights" &&
      request.job.method != "activations") {
    FailUsage("many models are aligned by weights or activations, not by " +
              flags.align);
  }
  if (many && request.job.method == "activations" &&
      request.many != ManyMethod::kMergeMany) {
    FailUsage("--many " + flags.many + " aligns by weights only");
  }
  if (!request.align && flags.match.structure.symmetries != "permute") {
    FailUsage("--symmetries needs aligned models; it excludes --align none");
  }
  if (!request.align && !flags.save_align.empty()) {
    FailUsage("--save-align needs aligned models; it excludes --align none");
  }
  if (request.interpolation == MergeMethod::kSlerp &&
      flags.models.size() != 2) {
    FailUsage("--interpolation slerp takes exactly two models");
  }
}

void CheckWeights(const std::vector<double>& weights, size_t models) {
  if (weights.empty()) return;
  double sum = 0;
  for (double weight : weights) sum += weight;
  if (weights.size() != models) {
    FailUsage("--weights has " + std::to_string(weights.size()) +
              " numbers for " + std::to_string(models) + " models");
  }
  if (std::abs(sum - 1) > 1e-6) {
    FailUsage("--weights must sum to 1, not " + Number(sum));
  }
}

// With data, a method that uses it is the default.
std::string AlignOf(const MergeFlags& flags) {
  if (!flags.align.empty()) return flags.align;
  const bool two = flags.models.size() == 2 && Interpolation(flags) != "many";
  const bool data = !flags.data.empty() && flags.match.structure.spec.empty();
  return two && data ? "best" : "weights";
}

std::string ParseRepair(const MergeFlags& flags) {
  if (flags.repair.empty()) return flags.data.empty() ? "none" : "auto";
  const bool needs_data = RepairNeedsData(flags.repair);
  if (needs_data && flags.data.empty()) {
    FailUsage("--repair " + flags.repair + " needs --data");
  }
  return flags.repair;
}

// The first given option that only applies to averages; empty if there is none.
std::string AverageOption(const MergeFlags& flags) {
  if (!flags.lambda.empty()) return "--lambda";
  if (!flags.weights.empty()) return "--weights";
  if (Interpolation(flags) != "linear") {
    return "--interpolation " + Interpolation(flags);
  }
  if (flags.repair == "bias") return "--repair bias";
  return flags.models.size() > 2 ? "more than two models" : "";
}

ThreeWay ParseThreeWay(const MergeFlags& flags) {
  const std::string average = AverageOption(flags);
  if (flags.three_way.empty()) {
    return average.empty() ? ThreeWay::kAuto : ThreeWay::kMean;
  }
  if (flags.base.empty() && !flags.in_place) {
    FailUsage("--three-way needs the common ancestor of both models",
              "give it with --base FILE");
  }
  const auto rule = ParseChoice<ThreeWay>("--three-way", flags.three_way,
                                          {{"auto", ThreeWay::kAuto},
                                           {"delta", ThreeWay::kDelta},
                                           {"mean", ThreeWay::kMean}});
  if (average.empty() || rule == ThreeWay::kMean) return rule;
  if (rule == ThreeWay::kAuto) return ThreeWay::kMean;
  FailUsage("--three-way delta adds the changes of two models; it excludes " +
            average);
}

}  // namespace

MergeRequest ParseMergeRequest(const MergeFlags& flags,
                               const Context& context) {
  MergeRequest request;
  request.interpolation_name = Interpolation(flags);
  struct Way {
    MergeMethod method = MergeMethod::kLinear;
    bool jointly = false;
  };
  const Way way = ParseChoice<Way>("--interpolation", Interpolation(flags),
                                   {{"linear", {}},
                                    {"slerp", {.method = MergeMethod::kSlerp}},
                                    {"many", {.jointly = true}}});
  request.interpolation = way.method;
  request.jointly = way.jointly;
  const std::string align = AlignOf(flags);
  request.align = align != "none";
  request.job = {
      .method = align, .with_data = flags.with_data, .data = flags.data};
  if (request.align) {
    ParseAlignMethod("--align", align, {"none"});
    CheckMatchJob("--align", request.job);
  }
  if (!flags.many.empty()) {
    request.many =
        ParseChoice<ManyMethod>("--many", flags.many,
                                {{"mergemany", ManyMethod::kMergeMany},
                                 {"consistent", ManyMethod::kConsistent},
                                 {"frank-wolfe", ManyMethod::kFrankWolfe}});
  }
  CheckCombination(flags, request);
  request.three_way = ParseThreeWay(flags);
  request.weights = ParseWeights(flags);
  CheckWeights(request.weights, flags.models.size());
  request.write.force = context.force;
  if (!flags.shard_size.empty()) {
    request.write.shard_bytes = ParseBytes("--shard-size", flags.shard_size);
  }
  request.match = flags.match.Options();
  request.job.options = request.match;
  request.repair = ParseRepair(flags);
  request.calibration_examples =
      ParseInteger("--calibrate", flags.calibrate, 2, int64_t{1} << 40);
  request.judging_examples =
      ParseInteger("--judge", flags.judge, 0, int64_t{1} << 40);
  request.page = !flags.report.empty();
  return request;
}

bool MergeRequest::needs_networks() const {
  return repairs_with_data() || judges() || (align && NeedsData(job)) || page;
}

void MergeFlags::AddFilesTo(CLI::App& command) {
  command.add_option("models", models, "Two or more models")->required();
  command
      .add_option("-o,--output", output,
                  "The merged model: " + ModelFormats().WritableWithGraph())
      ->required()
      ->type_name("FILE");
  command
      .add_option("--base", base,
                  "The common ancestor of the models; see --three-way")
      ->type_name("FILE");
  command
      .add_option("--shard-size", shard_size,
                  "Split the output into files of at most this size")
      ->type_name("SIZE");
}

void MergeFlags::AddTo(CLI::App& command) {
  AddMergingOptions(command);
  AddAligningOptions(command);
  AddRepairOptions(command);
  command.add_flag("--allow-nonfinite", allow_nonfinite,
                   "Copy NaN and infinities into the result");
  command.add_flag(
      "--no-verify", no_verify,
      "Skip the check that the permuted models compute the same function");
  match.AddTo(command);
  data.AddTo(command, /*required=*/false);
  with_data.AddTo(command);
}

void MergeFlags::AddMergingOptions(CLI::App& command) {
  const OptionAdder add(command);
  add("--lambda", lambda, "Weight of B, from 0 to 1; default 0.5", "X");
  add("--weights", weights, "Weight of each model, e.g. 0.5,0.3,0.2", "X,X,...")
      ->excludes("--lambda");
  add("--interpolation", interpolation,
      "How the models are averaged: linear (default), slerp (along great "
      "circles, two models) or many (all aligned jointly; always so for more "
      "than two)",
      "WORD");
  // The old name of --interpolation. In `match`, --method selects the method.
  command.add_option("--method", method)->group("");
  add("--three-way", three_way,
      "With --base: delta (ours + (theirs - base)), mean (tensors that only "
      "one model changed are copied, the rest is averaged) or auto (default: "
      "delta if both are close to the base, else mean)",
      "WORD");
  add("--many", many,
      "How models are aligned jointly: mergemany (default; each in turn to the "
      "mean of the others), consistent (closer together, independent of the "
      "order of the models, but about four times slower) or frank-wolfe (all "
      "at once, as C2M3 does; slower still)",
      "WORD");
}

void MergeFlags::AddAligningOptions(CLI::App& command) {
  const OptionAdder add(command);
  add("--align", align,
      "Matching method: weights (default), best (default for two models with "
      "--data) or another one listed below; none: merge without alignment",
      "WORD");
  add("--save-align", save_align,
      "Also write B's alignment (for more models: FILE-1, FILE-2, ...)",
      "FILE");
}

void MergeFlags::AddRepairOptions(CLI::App& command) {
  const OptionAdder add(command);
  add("--repair", repair,
      "Repair of the merged model: auto (default with --data: the best one on "
      "held-out data), none, or one of these: " +
          RepairsWithHelp(),
      "WORD");
  add("--calibrate", calibrate,
      "Training examples for the repair, labelled or not, drawn by --seed from "
      "every class; default " +
          calibrate,
      "N");
  add("--judge", judge,
      "With --data: test examples for evaluating the result and its parents, "
      "drawn like those of --calibrate if there are more; default 10000, 0: "
      "none",
      "N");
  add("--report", report, "Also write a report page: .html", "FILE");
}

}  // namespace rebasin::cli
