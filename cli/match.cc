// rebasin match: finds the alignment of two models.

#include "rebasin/match.h"

#include <filesystem>
#include <system_error>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/interrupt.h"
#include "cli/match_flags.h"
#include "cli/match_method.h"
#include "cli/match_report.h"
#include "cli/networks.h"
#include "cli/output.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/structure.h"
#include "rebasin/alignment.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

struct Flags {
  std::string a, b, output, method = "weights";
  bool verbose = false;
  bool resume = false;
  std::string state, state_every = "60";
  MatchFlags match;
  DataMatchFlags with_data;
  DataFlags data;
};

int DryRun(const Flags& flags, const MatchJob& job, const Model& a,
           Console& console) {
  Plan plan;
  plan.AddRead(a.weights);
  plan.AddRead(a.weights);
  if (NeedsData(job)) {
    plan.AddData(flags.data.data, "match by " + job.method + " on");
  } else {
    plan.AddMatch(a.weights, a.symmetry(), job.options,
                  console.context().threads);
    plan.all_groups = flags.verbose;
  }
  if (!flags.output.empty()) {
    plan.steps.push_back("write " + Quoted(flags.output));
  }
  plan.Print("match", console);
  return 0;
}

void KeepState(const Flags& flags, const Context& context, Console& console,
               MatchJob& job) {
  if (NeedsData(job)) {
    throw Error(
        ErrorCode::kUsage,
        "--state is for matching by weights, not by " + job.method,
        job.method == "ste" ? "ste keeps its state beside the output" : "");
  }
  CheckIsNoInput(flags.state, context);
  const StateFile state =
      StateFileAt(flags.state, flags.resume, context.force, console);
  job.options.state_file = state.path;
  job.options.resume = state.resume;
  job.options.state_seconds = static_cast<double>(
      ParseInteger("--state-every", flags.state_every, 0, 86400));
}

MatchJob JobFor(const Flags& flags, const Context& context, Console& console) {
  MatchJob job{.method = flags.method,
               .options = flags.match.Options(),
               .with_data = flags.with_data,
               .data = flags.data};
  CheckMatchJob("--method", job);
  if (!flags.state.empty()) {
    KeepState(flags, context, console, job);
  } else if (flags.method == "ste" && !flags.output.empty()) {
    const StateFile state =
        StateFileFor(flags.output, flags.resume, context.force, console);
    job.state_file = state.path;
    job.resume = state.resume;
  } else if (flags.resume) {
    throw Error(ErrorCode::kUsage, "--resume needs the state to go on from",
                "keep one with --state FILE");
  }
  return job;
}

// The result is safe.
void RemoveState(const Flags& flags) {
  if (flags.state.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(flags.state, ignored);
}

// Uses the tensor names of B's file, to which the alignment will be applied.
std::string Write(const Flags& flags, const Alignment& alignment,
                  const Model& b, const Context& context) {
  if (flags.output.empty()) return "";
  WriteText(flags.output, AlignmentJson(b, alignment), context.force);
  return "wrote " + Printable(flags.output) + "\n";
}

int Match(const Flags& flags, const Context& context) {
  Console console(context);
  ProgressBar progress(console);
  const MatchJob job = JobFor(flags, context, console);
  if (NeedsData(job)) RequireNetworks(context);
  const std::vector<Model> models =
      OpenModels({flags.a, flags.b},
                 ModelOptionsFor(flags.match.structure,
                                 NeedsData(job) ? StructureNeed::kGraph
                                                : StructureNeed::kSymmetry,
                                 context, flags.match.dtype),
                 console);
  const Model &a = models[0], &b = models[1];
  if (!flags.output.empty()) CheckTextOutput(flags.output, context);
  if (context.dry_run) return DryRun(flags, job, a, console);
  WarnIfSame(a, b, RunFor(console));

  const DataAlignResult found = RunMatchJob(job, a, b, console, progress);
  a.weights.CheckUnchanged();
  b.weights.CheckUnchanged();
  progress.Clear();
  WarnUnlessConverged(found.match.report, console);
  Json json = {{"command", "match"},
               {"a", flags.a},
               {"b", flags.b},
               {"structure", a.structure.name},
               {"method", job.method}};
  json.update(ReportJson(found.match));
  json.update(FindingsJson(found));
  const std::string text = RecognisedText(a.structure) +
                           ReportText(found.match, flags.verbose) +
                           FindingsText(found, job) +
                           Write(flags, found.match.alignment, b, context);
  RemoveState(flags);
  if (!flags.output.empty()) json["output"] = flags.output;
  console.Result(text, std::move(json));
  return found.interrupted ? InterruptedExitCode() : 0;
}

}  // namespace

Command AddMatch(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand(
      "match", "Find the permutation of B's units that fits A best");
  command->add_option("A", flags->a, "Model A, which is not permuted")
      ->required();
  command->add_option("B", flags->b, "Model B, which is matched to A")
      ->required();
  command->add_option("-o,--output", flags->output, "The alignment file")
      ->type_name("FILE");
  command
      ->add_option("--method", flags->method,
                   "The matching method; see the list below")
      ->type_name("WORD");
  command
      ->add_option("--state", flags->state,
                   "Keep the state of long matching by weights in this file; "
                   "removed at the end")
      ->type_name("FILE");
  command
      ->add_option(
          "--state-every", flags->state_every,
          "Seconds between writing the state; default " + flags->state_every)
      ->type_name("N");
  command->add_flag("--resume", flags->resume,
                    "Go on from the state of an interrupted run (--state, or "
                    "--method ste)");
  command->add_flag("-v,--verbose", flags->verbose,
                    "Show every tensor and group");
  flags->match.AddTo(*command);
  flags->data.AddTo(*command, /*required=*/false);
  flags->with_data.AddTo(*command);
  command->footer("\nMethods:\n" + MatchMethodsText() + R"(
Examples:
  rebasin match a.safetensors b.safetensors --model auto -o b.align.json
  rebasin match a.safetensors b.safetensors --spec net.json --start best -v
  rebasin match a.safetensors b.safetensors --model auto --method activations \
      --data cifar10 -o b.align.json
  rebasin match llama-a llama-b --memory 4GB --dry-run
  rebasin match llama-a llama-b --memory 4GB --state b.state -o b.align.json)");
  return {command, [flags, &context] { return Match(*flags, context); }};
}

}  // namespace rebasin::cli
