// Models that the program writes: in which format, whether that can be done,
// and doing it.

#ifndef REBASIN_CLI_MODEL_OUTPUT_H_
#define REBASIN_CLI_MODEL_OUTPUT_H_

#include <filesystem>
#include <string>

#include "cli/console.h"
#include "rebasin/checkpoint.h"

namespace rebasin::cli {

enum class FileFormat { kSafetensors, kTorch, kNpz, kNpy, kOnnx };
const char* FormatName(FileFormat format);

// Of a file that is there, by its content.
FileFormat FormatOf(const std::filesystem::path& file);
// Of a file to be written, by the ending of its name.
FileFormat FormatFor(const std::filesystem::path& output);

struct ModelOutput {
  std::filesystem::path path = {};
  FileFormat format = FileFormat::kSafetensors;
  std::filesystem::path onnx_template = {};  // gives an .onnx file its graph
  WriteOptions write = {};

  // Only safetensors are written piece by piece; a model in another format must
  // be in memory.
  bool streams() const { return format == FileFormat::kSafetensors; }
};

// Throws Error(kUnsupported): files with this ending are read, not written.
[[noreturn]] void FailUnwritable(const std::string& ending);

// Throws unless a model like this one can be written there: the format, the
// target, the folder, the space. Leaves nothing behind. Call it before the
// work.
void CheckModelOutput(const ModelOutput& output, const Checkpoint& model,
                      const Context& context);

// Complete or not at all. Warns of what the format cannot hold.
void WriteModel(const ModelOutput& output, const Checkpoint& model,
                Console& console);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MODEL_OUTPUT_H_
