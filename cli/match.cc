// rebasin match: the alignment that brings one model closest to another.

#include "rebasin/match.h"

#include "cli/console.h"
#include "cli/context.h"
#include "cli/interrupt.h"
#include "cli/match_flags.h"
#include "cli/match_method.h"
#include "cli/match_report.h"
#include "cli/models.h"
#include "cli/networks.h"
#include "cli/output.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "rebasin/alignment.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

struct Flags {
  std::string a, b, output, method = "weights";
  bool verbose = false;
  bool resume = false;
  MatchFlags match;
  DataMatchFlags with_data;
  DataFlags data;
};

int DryRun(const Flags& flags, const Checkpoint& a, const Symmetry& symmetry,
           const MatchOptions& options, Console& console) {
  Plan plan;
  plan.AddRead(a);
  plan.AddRead(a);
  if (FindMatchMethod("--method", flags.method).needs_data) {
    plan.steps.push_back("run the networks on " + Quoted(flags.data.data));
  } else {
    plan.AddMatch(a, symmetry, options);
  }
  if (!flags.output.empty()) {
    plan.steps.push_back("write " + Quoted(flags.output));
  }
  plan.Print("match", console);
  return 0;
}

MatchJob JobFor(const Flags& flags, const MatchOptions& options,
                const Context& context, Console& console) {
  MatchJob job{.method = flags.method,
               .options = options,
               .with_data = flags.with_data,
               .data = flags.data};
  CheckMatchJob("--method", job);
  if (flags.method != "ste" || flags.output.empty()) return job;
  const StateFile state =
      StateFileFor(flags.output, flags.resume, context.force, console);
  job.state_file = state.path;
  job.resume = state.resume;
  return job;
}

// B's file is what the alignment will be applied to.
std::string Write(const Flags& flags, const Alignment& alignment,
                  const OpenedModels& models, const Context& context) {
  if (flags.output.empty()) return "";
  WriteText(flags.output, AlignmentText(alignment, models, 1), context.force);
  return "wrote " + Printable(flags.output) + "\n";
}

int Match(const Flags& flags, const Context& context) {
  Console console(context);
  Progress progress(console);
  const MatchOptions options = flags.match.Options(context, &progress);
  const MatchJob job = JobFor(flags, options, context, console);
  if (FindMatchMethod("--method", job.method).needs_data) {
    NeedNetworks(context);
  }
  const OpenedModels models =
      OpenModels({flags.a, flags.b}, context, console, flags.match.dtype,
                 flags.match.structure.trained);
  RequireSameGraphs(models);
  const Checkpoint& a = models.weights[0];
  const Checkpoint& b = models.weights[1];
  CheckSameStructure(a, b);
  const Structure structure =
      StructureFor(flags.match.structure, models, console);
  if (!flags.output.empty()) CheckTextOutput(flags.output, context);
  if (context.dry_run) {
    return DryRun(flags, a, *structure.symmetry, options, console);
  }
  WarnIfSame(a, b, context.threads, console);

  FoundMatch found = RunMatchJob(job, a, b, structure, console, progress);
  a.CheckUnchanged();
  b.CheckUnchanged();
  progress.Clear();
  WarnUnlessConverged(found.match.report, console);
  Json json = {{"command", "match"},
               {"a", flags.a},
               {"b", flags.b},
               {"structure", structure.name},
               {"method", job.method}};
  json.update(ReportJson(found.match));
  json.update(found.json);
  std::string text = structure.recognised +
                     ReportText(found.match, flags.verbose) + found.text;
  text += Write(flags, found.match.alignment, models, context);
  if (!flags.output.empty()) json["output"] = flags.output;
  console.Result(text, std::move(json));
  return found.interrupted ? InterruptedExitCode() : 0;
}

}  // namespace

Command AddMatch(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand(
      "match", "Find the permutation of B's units that fits A best");
  command->add_option("A", flags->a, "The model that stays")->required();
  command->add_option("B", flags->b, "The model that is matched to it")
      ->required();
  command->add_option("-o,--output", flags->output, "The alignment file")
      ->type_name("FILE");
  command
      ->add_option("--method", flags->method,
                   "How to match; the methods are listed below")
      ->type_name("WORD");
  command->add_flag("--resume", flags->resume,
                    "Go on with --method ste where it was interrupted");
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
      --data cifar10 -o b.align.json)");
  return {command, [flags, &context] { return Match(*flags, context); }};
}

}  // namespace rebasin::cli
