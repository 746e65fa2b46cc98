// Output of the program: results on stdout, everything else on stderr.

#ifndef REBASIN_CLI_CONSOLE_H_
#define REBASIN_CLI_CONSOLE_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/context.h"

namespace rebasin::cli {

using Json = nlohmann::ordered_json;

enum class ProgressStyle {
  kNone,
  kBar,    // on a terminal
  kLines,  // in a file or a pipe
};

class Console {
 public:
  explicit Console(const Context& context) : context_(context) {}

  // Prints the result: `text`, or with --json `json` with the warnings added.
  // Throws Error(kIo) if writing to stdout fails.
  void Result(const std::string& text, Json json);

  // Prints "rebasin: warning: ..." unless --quiet.
  void Warn(const std::string& line);
  std::function<void(const std::string&)> warner() {
    return [this](const std::string& line) { Warn(line); };
  }

  const Context& context() const { return context_; }

  // How to show progress; never with --quiet.
  ProgressStyle progress_style() const;

 private:
  const Context& context_;
  std::vector<std::string> warnings_;
};

// Prints "rebasin: error: ..." and the hint, if any.
void PrintError(const std::string& message, const std::string& hint = "");

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_CONSOLE_H_
