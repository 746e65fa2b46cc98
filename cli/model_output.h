// Writes models.

#ifndef REBASIN_CLI_MODEL_OUTPUT_H_
#define REBASIN_CLI_MODEL_OUTPUT_H_

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/console.h"
#include "formats/formats.h"
#include "model/model_folder.h"
#include "rebasin/checkpoint.h"

namespace rebasin::cli {

// Rows of ModelFormats(): the format of an existing file, by content, and of an
// output file, by extension.
const Format* FormatOf(const std::filesystem::path& file);
const Format* FormatFor(const std::filesystem::path& output);

struct ModelOutput {
  std::filesystem::path path = {};
  const Format* format = FormatFor("");  // safetensors
  // the file whose graph an .onnx output uses
  std::filesystem::path onnx_template = {};
  WriteOptions write = {};

  // If false, the whole model must be in memory.
  bool streams() const { return format->streams; }
};

// The folder that an output is (see IsFolderOutput); null if it is a file.
std::unique_ptr<ModelFolder> FolderFor(const std::filesystem::path& output,
                                       const std::vector<std::string>& models,
                                       const Context& context);

// The command as it was given, quoted where a shell needs it.
std::string CommandText(const Context& context);

// Checks format, target, folder and free space, and throws if a model like this
// one cannot be written. Leaves nothing behind. Call it before long
// computations.
void CheckModelOutput(const ModelOutput& output, const Checkpoint& model,
                      const Context& context);

// Writes the complete file or nothing. Warns about content that the format
// cannot store.
void WriteModel(const ModelOutput& output, const Checkpoint& model,
                const Run& run);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MODEL_OUTPUT_H_
