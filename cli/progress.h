// A line on the terminal that says how far the work is.

#ifndef REBASIN_CLI_PROGRESS_H_
#define REBASIN_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/console.h"

namespace rebasin::cli {

// Draws only if the console shows progress, at most ten times a second, and
// clears its line at the end. One thread at a time.
class Progress {
 public:
  explicit Progress(const Console& console)
      : enabled_(console.ShowsProgress()) {}
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Update(const std::string& stage, int64_t done, int64_t total);
  void Clear();

 private:
  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_PROGRESS_H_
