#include "cli/model_output.h"

#include "cli/output.h"
#include "formats/save_model.h"
#include "onnx/format.h"

namespace rebasin::cli {
namespace fs = std::filesystem;
namespace {

OutputFile FileOf(const ModelOutput& output) {
  return {.path = output.path,
          .write = output.write,
          .graph_from = output.onnx_template};
}

}  // namespace

const Format* FormatOf(const fs::path& file) {
  return &ModelFormats().Of(InputFile(file));
}

const Format* FormatFor(const fs::path& output) {
  return &ModelFormats().For(output);
}

void CheckModelOutput(const ModelOutput& output, const Checkpoint& model,
                      const Context& context) {
  // A model may replace another model, but no spec or alignment.
  if (IsTextFile(output.path)) CheckIsNoInput(output.path, context);
  CheckOutput(ModelFormats(), *output.format, FileOf(output), model);
}

void WriteModel(const ModelOutput& output, const Checkpoint& model,
                const Run& run) {
  WriteOutput(ModelFormats(), *output.format, FileOf(output), model, run);
}

}  // namespace rebasin::cli
