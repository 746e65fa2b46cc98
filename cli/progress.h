// A line on the terminal that says how far the work is.

#ifndef REBASIN_CLI_PROGRESS_H_
#define REBASIN_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

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

  // A function that updates this with one stage; not to be used after it.
  std::function<void(int64_t, int64_t)> shower(std::string stage) {
    return [this, stage = std::move(stage)](int64_t done, int64_t total) {
      Update(stage, done, total);
    };
  }

 private:
  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_PROGRESS_H_
