// Files the program writes: checked before the work, written atomically.

#ifndef REBASIN_CLI_OUTPUT_H_
#define REBASIN_CLI_OUTPUT_H_

#include <filesystem>
#include <string>

#include "cli/console.h"
#include "rebasin/checkpoint.h"

namespace rebasin::cli {

// Throws unless a model like this one can be written there: the target, the
// folder, the space. Leaves nothing behind.
void CheckModelOutput(const std::filesystem::path& path,
                      const Checkpoint& model, const WriteOptions& options);

// Whether the output is to be an .onnx file, by its name. Throws Error(kUsage)
// if it is and there is no .onnx file to take the graph from.
bool IsOnnxOutput(const std::filesystem::path& path,
                  const std::filesystem::path& onnx_template);

void CheckTextOutput(const std::filesystem::path& path, bool force);

// Throws unless a page can be written there; "" is none.
void CheckPageOutput(const std::string& path, bool force);

// Complete or not at all.
void WriteText(const std::filesystem::path& path, const std::string& text,
               bool force);

// Where work that makes `path` keeps its state when it is interrupted. Decides
// whether to go on from there: throws Error(kUsage) if there is a state and
// neither to go on nor `force` was asked for; warns if there is none to go on
// from.
struct StateFile {
  std::filesystem::path path = {};
  bool resume = false;
};
StateFile StateFileFor(const std::filesystem::path& path, bool resume,
                       bool force, Console& console);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_OUTPUT_H_
