// rebasin apply: permutes a model by an alignment file.

#include <optional>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/model_output.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/proof.h"
#include "cli/structure.h"
#include "onnx/onnx.h"
#include "rebasin/alignment.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"

namespace rebasin::cli {
namespace {

struct Flags {
  std::string model, alignment, output, shard_size;
  StructureFlags structure;
  bool inverse = false;
  bool no_verify = false;
};

int64_t UnitsMoved(const Alignment& alignment) {
  int64_t moved = 0;
  for (size_t g = 0; g < alignment.symmetry().groups().size(); ++g) {
    moved += alignment.UnitsMoved(static_cast<int>(g));
  }
  return moved;
}

// Tensors that the alignment moves were trained weights when it was made.
std::vector<std::string> TrainedTensors(const Flags& flags) {
  std::vector<std::string> names = flags.structure.trained;
  const Alignment alignment = Alignment::Load(flags.alignment);
  for (const TensorSymmetry& tensor : alignment.symmetry().tensors()) {
    names.push_back(tensor.name);
  }
  return names;
}

Alignment LoadAlignment(const Flags& flags, const Checkpoint& model) {
  Alignment alignment = Alignment::Load(flags.alignment, Fingerprint(model));
  return flags.inverse ? alignment.Inverse() : alignment;
}

// Uses the graph if it is known. Its weights are those of the alignment, not
// those that one file suggests.
Model Open(const Flags& flags, const Context& context, Console& console) {
  StructureFlags described = flags.structure;
  described.trained = TrainedTensors(flags);
  const StructureNeed need = !flags.structure.model.empty()
                                 ? StructureNeed::kGraph
                             : flags.no_verify ? StructureNeed::kNothing
                                               : StructureNeed::kIfKnown;
  return OpenModel(flags.model, ModelOptionsFor(described, need, context),
                   RunFor(console));
}

int Apply(const Flags& flags, const Context& context) {
  Console console(context);
  WriteOptions write{.force = context.force};
  if (!flags.shard_size.empty()) {
    write.shard_bytes = ParseBytes("--shard-size", flags.shard_size);
  }
  Model opened = Open(flags, context, console);
  const Checkpoint model = opened.weights;
  const auto folder = FolderFor(flags.output, {flags.model}, context);
  if (folder && write.shard_bytes == 0) {
    write.shard_bytes = ModelFolder::kUsualShardBytes;
  }
  const ModelOutput output{
      .path = folder ? folder->weights() : std::filesystem::path(flags.output),
      .format = FormatFor(folder ? "" : flags.output),
      .onnx_template = opened.onnx_file,
      .write = write};
  const Alignment alignment = LoadAlignment(flags, model);
  opened = AdaptToAlignment(std::move(opened), alignment,
                            flags.structure.Options(), RunFor(console));
  CheckModelOutput(output, model, context);
  if (context.dry_run) {
    Plan plan;
    plan.AddRead(model);
    plan.steps.push_back("move " + Count(UnitsMoved(alignment), "unit"));
    plan.AddWrite(model, flags.output);
    plan.Print("apply", console);
    return 0;
  }
  ProgressBar progress(console);
  const Run run = RunFor(console, &progress);
  std::optional<VerifyReport> report;
  if (!flags.no_verify) report = Prove(opened, alignment, run);
  const std::string proof = report ? VerifiedText(*report) : "";
  if (!output.streams()) {
    WriteModel(output, Permute(model, alignment, run), run);
  } else {
    PermuteToFile(model, alignment, output.path, output.write, run);
  }
  if (folder) {
    folder->Publish({.command = CommandText(context),
                     .sources = {{flags.model, &model}},
                     .findings = proof});
  }
  progress.Clear();
  console.Result(Count(UnitsMoved(alignment), "unit") + " moved\n" + proof +
                     "wrote " + Printable(flags.output) + " (" +
                     HumanBytes(static_cast<double>(model.bytes())) + ")\n",
                 {{"command", "apply"},
                  {"model", flags.model},
                  {"inverse", flags.inverse},
                  {"units_moved", UnitsMoved(alignment)},
                  {"verified", !proof.empty()},
                  {"bytes", model.bytes()},
                  {"output", flags.output}});
  return 0;
}

}  // namespace

Command AddApply(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command =
      program.add_subcommand("apply", "Permute a model by an alignment file");
  command->add_option("model", flags->model, "The model")->required();
  command->add_option("--align", flags->alignment, "The alignment file")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--output", flags->output, "The permuted model")
      ->required()
      ->type_name("FILE");
  command->add_flag("--inverse", flags->inverse,
                    "Apply the inverse of the alignment");
  command->add_flag(
      "--no-verify", flags->no_verify,
      "Skip the check that the permuted model computes the same function");
  command
      ->add_option("--model", flags->structure.model,
                   "The architecture, for verifying the result: a name, auto, "
                   "or an .onnx file")
      ->type_name("NAME|FILE");
  flags->structure.AddAllowUncoveredTo(*command, "");
  command
      ->add_option("--shard-size", flags->shard_size,
                   "Split the output into files of at most this size")
      ->type_name("SIZE");
  command->footer(R"(
Examples:
  rebasin apply b.safetensors --align b.align.json -o b2.safetensors
  rebasin apply b2.safetensors --align b.align.json --inverse -o b.safetensors)");
  return {command, [flags, &context] { return Apply(*flags, context); }};
}

}  // namespace rebasin::cli
