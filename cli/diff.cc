// rebasin diff: the distance of two models, before and after alignment.

#include "base/text.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/match_flags.h"
#include "cli/match_report.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/structure.h"
#include "rebasin/match.h"
#include "rebasin/merge.h"

namespace rebasin::cli {
namespace {

constexpr int kEqual = 0;
constexpr int kDifferent = 1;

struct Flags {
  std::string a, b;
  bool verbose = false;
  MatchFlags match;
};

// A symmetry for unknown models: everything is fixed.
std::shared_ptr<const Symmetry> NoSymmetry(const Checkpoint& model) {
  std::vector<TensorSymmetry> tensors;
  for (const Tensor& tensor : model.tensors()) {
    TensorSymmetry fixed{.name = tensor.name, .axes = {}};
    for (int64_t size : tensor.shape) {
      fixed.axes.push_back({.segments = {{{kNoGroup, size}}}});
    }
    tensors.push_back(std::move(fixed));
  }
  return std::make_shared<const Symmetry>(std::vector<Group>(),
                                          std::move(tensors));
}

struct Verdict {
  std::string word, text;
  bool equal = false;
};

Verdict Judge(const Checkpoint& a, const Checkpoint& b,
              const MatchResult& match, bool has_spec, const Run& run) {
  if (has_spec && SameContent(a, b, &match.alignment, run)) {
    return {"equal_modulo_symmetry",
            "B is A with its units permuted: the same function\n", true};
  }
  if (has_spec && match.report.already_aligned) {
    return {"different", "the models differ\n"};
  }
  return {"different", has_spec ? "the models differ, modulo symmetry too\n"
                                : "the models differ\n"};
}

int ReportIdentical(const Flags& flags, Console& console) {
  console.Result("the models are identical\n", {{"command", "diff"},
                                                {"a", flags.a},
                                                {"b", flags.b},
                                                {"verdict", "identical"},
                                                {"equal", true}});
  return kEqual;
}

int ReportGraphs(const Flags& flags,
                 const std::vector<GraphDifference>& differences,
                 Console& console) {
  const auto count = static_cast<int64_t>(differences.size());
  std::string text =
      "the models compute different functions: their graphs have " +
      Count(count, "difference") + "\n";
  Json list = Json::array();
  for (const GraphDifference& difference : differences) {
    text += "  " + difference.text() + "\n";
    list.push_back({{"where", difference.where},
                    {"what", difference.what},
                    {"a", difference.a},
                    {"b", difference.b}});
  }
  console.Result(text, {{"command", "diff"},
                        {"a", flags.a},
                        {"b", flags.b},
                        {"verdict", "different_graphs"},
                        {"equal", false},
                        {"graph_differences", std::move(list)}});
  return kDifferent;
}

int DryRun(const Checkpoint& a, const std::shared_ptr<const Symmetry>& symmetry,
           const MatchOptions& options, Console& console) {
  Plan plan;
  plan.AddRead(a);
  plan.AddRead(a);
  plan.AddMatch(a, symmetry, options, console.context().threads);
  plan.steps.push_back("compare all tensors");
  plan.Print("diff", console);
  return 0;
}

std::vector<Model> Open(const Flags& flags, const Context& context,
                        Console& console) {
  const StructureFlags& structure = flags.match.structure;
  ModelOptions options = ModelOptionsFor(
      structure,
      structure.empty() ? StructureNeed::kIfKnown : StructureNeed::kSymmetry,
      context, flags.match.dtype);
  options.allow_different_graphs = true;
  return OpenModels({flags.a, flags.b}, options, console);
}

int Diff(const Flags& flags, const Context& context) {
  Console console(context);
  ProgressBar progress(console);
  const Run run = RunFor(console, &progress);
  const MatchOptions options = flags.match.Options();
  const std::vector<Model> models = Open(flags, context, console);
  if (!models[1].graph_differences.empty()) {
    return ReportGraphs(flags, models[1].graph_differences, console);
  }
  const Checkpoint &a = models[0].weights, &b = models[1].weights;
  const Structure& structure = models[0].structure;
  const auto symmetry = structure.known() ? structure.symmetry : NoSymmetry(a);
  if (context.dry_run) return DryRun(a, symmetry, options, console);
  if (SameContent(a, b, nullptr, run)) return ReportIdentical(flags, console);
  if (!structure.known()) {
    console.Warn("compared without alignment: " + structure.reason);
  }
  const MatchResult match = MatchWeights(a, b, symmetry, options, run);
  progress.Clear();
  WarnUnlessConverged(match.report, console);
  const Verdict verdict = Judge(a, b, match, structure.known(), run);
  Json json = {{"command", "diff"},      {"a", flags.a},
               {"b", flags.b},           {"verdict", verdict.word},
               {"equal", verdict.equal}, {"structure", structure.name}};
  json.update(ReportJson(match));
  const std::string details = structure.known()
                                  ? ReportText(match, flags.verbose)
                                  : RawText(match.report);
  console.Result(RecognisedText(structure) + verdict.text + details,
                 std::move(json));
  return verdict.equal ? kEqual : kDifferent;
}

}  // namespace

Command AddDiff(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand(
      "diff", "Show how far apart two models are, raw and modulo symmetry");
  command->add_option("A", flags->a, "A model")->required();
  command->add_option("B", flags->b, "Another")->required();
  command->add_flag("-v,--verbose", flags->verbose,
                    "Show every tensor and group");
  flags->match.AddTo(*command);
  command->footer(R"(
Exits with 0 if the models are equal (where their structure is known: modulo
symmetry), else 1. Two .onnx files must also have the same graph; otherwise its
differences are listed, and the weights are not compared.

Examples:
  rebasin diff a.safetensors b.safetensors
  rebasin diff a.safetensors b.safetensors --model auto)");
  return {command, [flags, &context] { return Diff(*flags, context); }};
}

}  // namespace rebasin::cli
