// rebasin verify: proof by running that permuting a model changes nothing.

#include "rebasin/verify.h"

#include <optional>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/data_flags.h"
#include "cli/models.h"
#include "cli/networks.h"
#include "cli/progress.h"
#include "cli/proof.h"
#include "cli/structure.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

constexpr int kSame = 0;
constexpr int kDifferent = 1;

struct Flags {
  std::string weights, alignment;
  std::string trials = "3";
  DataFlags data;
  StructureFlags structure;
};

// The graph that runs, and the symmetry that is put to the test: a spec, if
// one is given, else the one found in the graph.
Structure Load(const Flags& flags, const Checkpoint& model, Console& console) {
  StructureFlags graph_flags = flags.structure;
  graph_flags.spec.clear();
  if (!flags.structure.spec.empty()) graph_flags.symmetries = "permute";
  auto structure = GraphFor(graph_flags, flags.weights, &model, console);
  if (!structure) {
    throw Error(ErrorCode::kUsage, "verify needs a graph to run",
                "give --model NAME (or auto), or an .onnx file");
  }
  if (!flags.structure.spec.empty()) {
    StructureFlags spec_flags = flags.structure;
    spec_flags.model.clear();
    structure->symmetry = StructureFor(spec_flags, "", model, console).symmetry;
  }
  return *std::move(structure);
}

std::vector<Alignment> Elements(const Flags& flags, const Structure& structure,
                                const Checkpoint& model,
                                const Context& context) {
  if (!flags.alignment.empty()) {
    return {Alignment::Load(flags.alignment, Fingerprint(model))};
  }
  std::vector<Alignment> elements;
  const int64_t trials = ParseInteger("--trials", flags.trials, 1, 1'000'000);
  for (int64_t trial = 0; trial < trials; ++trial) {
    elements.push_back(
        Alignment::Random(structure.symmetry, context.seed + trial));
  }
  return elements;
}

void KeepWorst(const VerifyReport& next, std::optional<VerifyReport>& worst) {
  if (!worst) {
    worst = next;
    return;
  }
  worst->same &= next.same;
  for (size_t o = 0; o < next.outputs.size(); ++o) {
    if (!(next.outputs[o].difference <= worst->outputs[o].difference)) {
      worst->outputs[o] = next.outputs[o];
    }
  }
}

std::string InputText(const VerifyReport& report) {
  std::string text;
  for (const Shape& shape : report.input_shapes) {
    text += (text.empty() ? "" : ", ") + ShapeText(shape);
  }
  return text;
}

int RunVerify(const Flags& flags, const Context& context) {
  if (!flags.data.empty()) NeedNetworks(context);
  Console console(context);
  Progress progress(console);
  const Checkpoint model = OpenModel(flags.weights, context, console);
  const Structure structure = Load(flags, model, console);
  const auto elements = Elements(flags, structure, model, context);
  const OpenedData data =
      flags.data.empty() ? OpenedData() : flags.data.Open(console, &model);
  const auto check = [&](size_t i) {
    if (!flags.data.empty()) {
      return VerifyOnData(structure.graph, model, elements[i], data, context);
    }
    return Verify(*structure.graph, model, elements[i],
                  {.seed = context.seed + i, .threads = context.threads});
  };
  std::optional<VerifyReport> worst;
  for (size_t i = 0; i < elements.size(); ++i) {
    progress.Update("verifying", static_cast<int64_t>(i),
                    static_cast<int64_t>(elements.size()));
    KeepWorst(check(i), worst);
  }
  progress.Clear();
  const std::string subject =
      flags.alignment.empty()
          ? Count(static_cast<int64_t>(elements.size()), "random element") +
                " of a group of 10^" +
                Fixed(structure.symmetry->Log10Order(), 1)
          : "the alignment";
  Json json = {{"command", "verify"},
               {"model", structure.name},
               {"weights", flags.weights},
               {"elements", elements.size()},
               {"log10_symmetries", structure.symmetry->Log10Order()},
               {"input_shapes", worst->input_shapes}};
  json.update(ProofJson(*worst));
  console.Result(
      RecognisedText(structure) + ProofTable(*worst) + subject +
          ", on inputs of " + InputText(*worst) + ": " +
          (worst->same ? "the same function\n" : "NOT the same function\n"),
      std::move(json));
  return worst->same ? kSame : kDifferent;
}

}  // namespace

Command AddVerify(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand(
      "verify", "Prove by running that permuting a model changes nothing");
  command->add_option("weights", flags->weights, "The model")->required();
  command
      ->add_option("--align", flags->alignment,
                   "Test this alignment, not random elements of the group")
      ->type_name("FILE");
  command
      ->add_option("--trials", flags->trials,
                   "How many random elements; default 3")
      ->type_name("N");
  flags->structure.AddTo(*command, "Structure");
  flags->structure.AddSymmetriesTo(*command, "Structure");
  flags->data.AddTo(*command, /*required=*/false);
  command->footer(R"(
The graph is run in double on small random inputs (with --data, on the first
1,000 examples), with the weights as they are and permuted (and rescaled, with
--symmetries). Exits with 0 if all outputs agree, else 1. With both --model
and --spec, the spec is put to the test on the architecture.

Examples:
  rebasin verify net.safetensors --model auto
  rebasin verify net.onnx
  rebasin verify net.safetensors --model auto --symmetries permute+scale+sign
  rebasin verify net.safetensors --model vgg16:norm=batch --spec mine.json)");
  return {command, [flags, &context] { return RunVerify(*flags, context); }};
}

}  // namespace rebasin::cli
