// Models that the program writes.

#ifndef REBASIN_CLI_MODEL_OUTPUT_H_
#define REBASIN_CLI_MODEL_OUTPUT_H_

#include <filesystem>

#include "cli/console.h"
#include "formats/formats.h"
#include "rebasin/checkpoint.h"

namespace rebasin::cli {

// Rows of ModelFormats(): of a file that is there, by its content, and of a
// file to be written, by the ending of its name.
const Format* FormatOf(const std::filesystem::path& file);
const Format* FormatFor(const std::filesystem::path& output);

struct ModelOutput {
  std::filesystem::path path = {};
  const Format* format = FormatFor("");      // safetensors
  std::filesystem::path onnx_template = {};  // gives an .onnx file its graph
  WriteOptions write = {};

  // Other formats are written from memory.
  bool streams() const { return format->streams; }
};

// Throws unless a model like this one can be written there: the format, the
// target, the folder, the space. Leaves nothing behind. Call it before the
// work.
void CheckModelOutput(const ModelOutput& output, const Checkpoint& model,
                      const Context& context);

// Complete or not at all. Warns of what the format cannot hold.
void WriteModel(const ModelOutput& output, const Checkpoint& model,
                const Run& run);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MODEL_OUTPUT_H_
