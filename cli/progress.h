// Shows progress: a bar on a terminal, occasional lines in a log.

#ifndef REBASIN_CLI_PROGRESS_H_
#define REBASIN_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/console.h"
#include "rebasin/run.h"

namespace rebasin::cli {

// On a terminal it redraws one line of stderr at most ten times a second and
// clears it at the end. Otherwise it prints a line every half minute, so that
// short commands leave nothing in logs. Not thread-safe.
class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ProgressBar(const Console& console)
      : ProgressBar(console.progress_style(), UsualInterval(console)) {}
  ProgressBar(ProgressStyle style, Clock::duration interval)
      : style_(style), interval_(interval) {}
  ~ProgressBar() { Clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void Update(const std::string& stage, int64_t done, int64_t total);
  void Clear();

 private:
  static Clock::duration UsualInterval(const Console& console);

  ProgressStyle style_;
  Clock::duration interval_;
  bool drawn_ = false;
  // The time of the last output. A bar appears at once, a line only after the
  // first interval.
  Clock::time_point last_ = Clock::now();
};

// The context of a command: threads, seed, warnings to the console, and
// progress if not null. Refers to both arguments.
Run RunFor(Console& console, ProgressBar* progress = nullptr);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_PROGRESS_H_
