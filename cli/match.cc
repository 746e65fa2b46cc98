// rebasin match: the alignment that brings one model closest to another.

#include "rebasin/match.h"

#include "cli/console.h"
#include "cli/context.h"
#include "cli/match_flags.h"
#include "cli/match_report.h"
#include "cli/models.h"
#include "cli/output.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "rebasin/alignment.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

struct Flags {
  std::string a, b, output;
  bool verbose = false;
  MatchFlags match;
};

int DryRun(const Flags& flags, const Checkpoint& a, const Symmetry& symmetry,
           const MatchOptions& options, Console& console) {
  Plan plan;
  plan.AddRead(a);
  plan.AddRead(a);
  plan.AddMatch(a, symmetry, options);
  if (!flags.output.empty()) {
    plan.steps.push_back("write " + Quoted(flags.output));
  }
  plan.Print("match", console);
  return 0;
}

int Match(const Flags& flags, const Context& context) {
  Console console(context);
  Progress progress(console);
  const MatchOptions options = flags.match.Options(context, &progress);
  const Checkpoint a = OpenModel(flags.a, context, console, flags.match.dtype);
  const Checkpoint b = OpenModel(flags.b, context, console, flags.match.dtype);
  CheckSameStructure(a, b);
  const Structure structure =
      StructureFor(flags.match.structure, flags.a, a, console);
  const auto& symmetry = structure.symmetry;
  if (!flags.output.empty()) CheckTextOutput(flags.output, context.force);
  if (context.dry_run) return DryRun(flags, a, *symmetry, options, console);
  WarnIfSame(a, b, context.threads, console);

  const MatchResult match = MatchWeights(a, b, symmetry, options);
  a.CheckUnchanged();
  b.CheckUnchanged();
  progress.Clear();
  WarnUnlessConverged(match.report, console);
  Json json = {{"command", "match"},
               {"a", flags.a},
               {"b", flags.b},
               {"structure", structure.name}};
  json.update(ReportJson(match));
  std::string text =
      RecognisedText(structure) + ReportText(match, flags.verbose);
  if (!flags.output.empty()) {
    WriteText(flags.output, match.alignment.ToJson(Fingerprint(b)),
              context.force);
    text += "wrote " + Printable(flags.output) + "\n";
    json["output"] = flags.output;
  }
  console.Result(text, std::move(json));
  return 0;
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
  command->add_flag("-v,--verbose", flags->verbose,
                    "Show every tensor and group");
  flags->match.AddTo(*command);
  command->footer(R"(
Examples:
  rebasin match a.safetensors b.safetensors --model auto -o b.align.json
  rebasin match a.safetensors b.safetensors --spec net.json --start best -v)");
  return {command, [flags, &context] { return Match(*flags, context); }};
}

}  // namespace rebasin::cli
