// rebasin verify: proves by running that permuting a model does not change its
// function.

#include <algorithm>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/data_flags.h"
#include "cli/networks.h"
#include "cli/progress.h"
#include "cli/proof.h"
#include "cli/structure.h"
#include "rebasin/discovery.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

constexpr int kSame = 0;
constexpr int kDifferent = 1;

constexpr int kMinTrials = 3;

struct Flags {
  std::string weights, alignment;
  std::string trials;
  DataFlags data;
  StructureFlags structure;
};

std::vector<Alignment> Elements(const Flags& flags, const Model& model,
                                const Context& context) {
  if (!flags.alignment.empty()) {
    return {Alignment::Load(flags.alignment, Fingerprint(model.weights))};
  }
  std::vector<Alignment> elements;
  const int64_t trials =
      flags.trials.empty()
          ? std::max(kMinTrials, EnoughElements(*model.symmetry()))
          : ParseInteger("--trials", flags.trials, 1, 1'000'000);
  for (int64_t trial = 0; trial < trials; ++trial) {
    elements.push_back(
        Alignment::Random(model.symmetry(), context.seed + trial));
  }
  return elements;
}

std::string Subject(const Flags& flags, const Model& model, size_t elements) {
  if (!flags.alignment.empty()) return "the alignment";
  return Count(static_cast<int64_t>(elements), "random element") +
         " of a group of 10^" + Fixed(model.symmetry()->Log10Order(), 1);
}

VerifyReport RunProof(const Flags& flags, const Model& model,
                      const std::vector<Alignment>& elements,
                      Console& console) {
  const Run run = RunFor(console);
  VerifyReport report = VerifyModel(model, elements, run);
  if (flags.data.empty()) return report;
  const ModelData data = flags.data.Open(console, {&model.weights});
  for (const Alignment& element : elements) {
    const VerifyReport on_data =
        console.context().networks->verify(model, element, data, run);
    report.same &= on_data.same;
    report.runs += on_data.runs;
    report.outputs.insert(report.outputs.end(), on_data.outputs.begin(),
                          on_data.outputs.end());
    if (&element == &elements.front()) {
      report.input_shapes.push_back(on_data.input_shapes.front());
    }
  }
  return report;
}

int RunVerify(const Flags& flags, const Context& context) {
  if (!flags.data.empty()) RequireNetworks(context);
  Console console(context);
  const Model model = OpenModel(
      flags.weights,
      ModelOptionsFor(flags.structure, StructureNeed::kGraph, context),
      RunFor(console));
  const auto elements = Elements(flags, model, context);
  const VerifyReport report = RunProof(flags, model, elements, console);
  Json json = {{"command", "verify"},
               {"model", model.structure.name},
               {"weights", flags.weights},
               {"elements", elements.size()},
               {"log10_symmetries", model.symmetry()->Log10Order()}};
  json.update(ProofJson(report));
  console.Result(RecognisedText(model.structure) + ProofTable(report) +
                     Subject(flags, model, elements.size()) + ", " +
                     RunsText(report) + ": " + VerdictText(report) + "\n",
                 std::move(json));
  return report.proved() ? kSame : kDifferent;
}

}  // namespace

Command AddVerify(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = program.add_subcommand(
      "verify", "Prove by running that permuting a model changes nothing");
  command->add_option("weights", flags->weights, "The model")->required();
  command
      ->add_option(
          "--align", flags->alignment,
          "Test this alignment instead of random elements of the group")
      ->type_name("FILE");
  command
      ->add_option("--trials", flags->trials,
                   "Number of random elements; default 3, more for groups of "
                   "two or three units")
      ->type_name("N");
  flags->structure.AddTo(*command, "Structure");
  flags->structure.AddSymmetriesTo(*command, "Structure");
  flags->data.AddTo(*command, /*required=*/false);
  command->footer(R"(
The graph is run in double on small random inputs (with --data, on the first
1,000 examples), with its weights and permuted (and rescaled, with --symmetries).
It is run again with random weights, which hide nothing, and at other sizes where
the inputs leave them open; graphs that are costly to run are replaced by smaller
ones of the same structure. Each group must be seen to matter. Exits with 0 if
all outputs agree and every group was seen, else 1. With both --model and --spec,
the spec is put to the test on the architecture.

Examples:
  rebasin verify net.safetensors --model auto
  rebasin verify net.onnx
  rebasin verify net.safetensors --model auto --symmetries permute+scale+sign
  rebasin verify net.safetensors --model vgg16:norm=batch --spec mine.json)");
  return {command, [flags, &context] { return RunVerify(*flags, context); }};
}

}  // namespace rebasin::cli
