// Files the program writes beside models: checked before the work, written
// atomically.

#ifndef REBASIN_CLI_OUTPUT_H_
#define REBASIN_CLI_OUTPUT_H_

#include <filesystem>
#include <string>

#include "cli/console.h"

namespace rebasin::cli {

// Throws unless a text can be written there. Error(kUsage) if another argument
// names the same file, which would be lost with --force, or if the name ends as
// that of a model.
void CheckTextOutput(const std::filesystem::path& path, const Context& context);

// The same for a page; "" is none.
void CheckPageOutput(const std::string& path, const Context& context);

// Throws Error(kUsage) if one argument more than `own`, those that name the
// output itself, names the same file.
void CheckIsNoInput(const std::filesystem::path& path, const Context& context,
                    int own = 1);

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
