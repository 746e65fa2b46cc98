// rebasin convert: converts a model to another format or element type.

#include <filesystem>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/model_output.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/structure.h"
#include "onnx/format.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

struct Flags {
  std::string input, output, dtype, shard_size;
};

ModelOutput OutputOf(const Flags& flags, const Context& context) {
  ModelOutput output{.path = flags.output,
                     .format = FormatFor(flags.output),
                     .write = {.force = context.force}};
  // Tensors alone do not give a graph.
  if (output.format->holds_graph) {
    ModelFormats().FailReadOnly(output.format->endings[0]);
  }
  if (!flags.shard_size.empty()) {
    output.write.shard_bytes = ParseBytes("--shard-size", flags.shard_size);
  }
  return output;
}

int Convert(const Flags& flags, const Context& context) {
  Console console(context);
  const ModelOutput output = OutputOf(flags, context);
  const Checkpoint model =
      OpenWeights(flags.input, context, console, flags.dtype);
  if (model.tensors().empty()) {
    throw Error(ErrorCode::kMismatch,
                Quoted(flags.input) + " holds no tensors");
  }
  if (context.dry_run) {
    CheckModelOutput(output, model, context);
    Plan plan;
    plan.AddRead(model);
    plan.AddWrite(model, flags.output);
    plan.Print("convert", console);
    return 0;
  }
  ProgressBar progress(console);
  WriteModel(output, model, RunFor(console, &progress));
  progress.Clear();
  const auto tensors = static_cast<int64_t>(model.tensors().size());
  console.Result("wrote " + Printable(flags.output) + " (" +
                     Count(tensors, "tensor") + ", " +
                     HumanBytes(static_cast<double>(model.bytes())) + ")\n",
                 {{"command", "convert"},
                  {"input", flags.input},
                  {"tensors", tensors},
                  {"bytes", model.bytes()},
                  {"output", flags.output}});
  return 0;
}

}  // namespace

Command AddConvert(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* command =
      program.add_subcommand("convert", "Write a model in another format");
  command
      ->add_option("input", flags->input,
                   "The model: " + ModelFormats().Readable())
      ->required();
  command
      ->add_option("output", flags->output,
                   "The file to write: " + ModelFormats().Writable())
      ->required();
  command
      ->add_option("--dtype", flags->dtype,
                   "Convert numbers to F64, F32, F16 or BF16")
      ->type_name("TYPE");
  command
      ->add_option("--shard-size", flags->shard_size,
                   "Split the output into files of at most this size")
      ->type_name("SIZE");
  command->footer(R"(
Nothing in a PyTorch file is executed: what is no tensor is refused by name.

Examples:
  rebasin convert model.pt model.safetensors
  rebasin convert checkpoint.th --key state_dict model.safetensors
  rebasin convert merged.safetensors merged.pt
  rebasin convert model.safetensors half.safetensors --dtype F16)");
  return {command, [flags, &context] { return Convert(*flags, context); }};
}

}  // namespace rebasin::cli
