// Files that the program writes besides models: checked before the work,
// written atomically.

#ifndef REBASIN_CLI_OUTPUT_H_
#define REBASIN_CLI_OUTPUT_H_

#include <filesystem>
#include <string>

#include "cli/console.h"

namespace rebasin::cli {

// Throws unless a text can be written to `path`. Throws Error(kUsage) if
// another argument names the same file, which --force would overwrite, or if
// the name has the extension of a model.
void CheckTextOutput(const std::filesystem::path& path, const Context& context);

// The same for a page; empty: no page.
void CheckPageOutput(const std::string& path, const Context& context);

// Throws Error(kUsage) if more than `own` arguments name the same file; `own`
// is the number of arguments for the output itself.
void CheckIsNoInput(const std::filesystem::path& path, const Context& context,
                    int own = 1);

// Writes the complete file or nothing.
void WriteText(const std::filesystem::path& path, const std::string& text,
               bool force);

// The file in which interrupted work that makes `path` stores its state.
// Decides whether to resume: throws Error(kUsage) if there is a state and
// neither resuming nor `force` was requested; warns if resuming was requested
// and there is no state.
struct StateFile {
  std::filesystem::path path = {};
  bool resume = false;
};
StateFile StateFileFor(const std::filesystem::path& path, bool resume,
                       bool force, Console& console);
// The same with the name of the state itself.
StateFile StateFileAt(const std::filesystem::path& path, bool resume,
                      bool force, Console& console);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_OUTPUT_H_
