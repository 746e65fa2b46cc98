// A line on the terminal that says how far the work is.

#ifndef REBASIN_CLI_PROGRESS_H_
#define REBASIN_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/console.h"
#include "rebasin/run.h"

namespace rebasin::cli {

// Draws only if the console shows progress, at most ten times a second, and
// clears its line at the end. One thread at a time.
class ProgressBar {
 public:
  explicit ProgressBar(const Console& console)
      : enabled_(console.ShowsProgress()) {}
  ~ProgressBar() { Clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void Update(const std::string& stage, int64_t done, int64_t total);
  void Clear();

 private:
  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

// The context of a command's work: its threads and seed, warnings to the
// console, and progress, if given. Refers to both.
Run RunFor(Console& console, ProgressBar* progress = nullptr);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_PROGRESS_H_
