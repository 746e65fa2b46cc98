// Files the program writes beside models: checked before the work, written
// atomically.

#ifndef REBASIN_CLI_OUTPUT_H_
#define REBASIN_CLI_OUTPUT_H_

#include <filesystem>
#include <string>

#include "cli/console.h"

namespace rebasin::cli {

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
