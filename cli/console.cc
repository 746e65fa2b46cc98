#include "cli/console.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "io/system.h"

namespace rebasin::cli {
namespace {

// A file may cause millions of warnings; more than this nobody reads.
constexpr size_t kMaxWarnings = 100;

void PrintLine(const std::string& line) {
  std::fputs((line + "\n").c_str(), stderr);
}

}  // namespace

void Console::Result(const std::string& text, Json json) {
  std::string out = text;
  if (context_.json) {
    json["warnings"] = warnings_;
    // Paths may contain bytes that are not UTF-8.
    out = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() ||
      std::fflush(stdout) != 0) {
    ThrowIo("write the result to", "stdout", errno);
  }
}

void Console::Warn(const std::string& line) {
  // A file may be read twice, for its weights and for its graph.
  const bool said =
      std::find(warnings_.begin(), warnings_.end(), line) != warnings_.end();
  if (said || warnings_.size() > kMaxWarnings) return;
  const bool last = warnings_.size() == kMaxWarnings;
  warnings_.push_back(last ? "more warnings are left out" : line);
  if (!context_.quiet) PrintLine("rebasin: warning: " + warnings_.back());
}

ProgressStyle Console::progress_style() const {
  if (context_.quiet) return ProgressStyle::kNone;
  return isatty(STDERR_FILENO) == 1 ? ProgressStyle::kBar
                                    : ProgressStyle::kLines;
}

// Does not allocate, because memory may have run out.
void PrintError(const std::string& message, const std::string& hint) {
  std::fprintf(stderr, "rebasin: error: %s\n", message.c_str());
  if (!hint.empty()) std::fprintf(stderr, "hint: %s\n", hint.c_str());
}

}  // namespace rebasin::cli
