// Run is the context of a long operation: the number of threads, the random
// seed, and functions for progress, cancellation and warnings. Long operations
// take it as their last argument.
//
//   const rebasin::Run run{
//       .threads = 4,
//       .progress = [](const rebasin::Progress& now) { Draw(now); },
//       .stop = [] { return interrupted.load(); }};
//   rebasin::MatchWeights(a, b, symmetry, {}, run);
//
// A default Run uses all cores and reports nothing. Results do not depend on
// the functions, nor on the number of threads unless an operation's
// documentation says so (training with BatchNorm). Copying a Run copies its
// functions; the objects that they refer to must outlive the operation.

#ifndef REBASIN_RUN_H_
#define REBASIN_RUN_H_

#include <cstdint>
#include <functional>
#include <string>

namespace rebasin {

// The state of an operation: `done` of `total` steps of a stage are finished.
struct Progress {
  std::string stage;  // "matching: pass 3"
  int64_t done = 0;
  int64_t total = 0;
};

// The functions may be empty. The operation calls them from one thread at a
// time.
struct Run {
  int threads = 0;    // 0: one for each core
  uint64_t seed = 0;  // of all random numbers
  // Called often: limit redrawing yourself.
  std::function<void(const Progress&)> progress = {};
  // Called often. If it returns true, the operation throws Error(kStopped), or,
  // if its documentation says so, keeps its state and returns.
  std::function<bool()> stop = {};
  // Called with one line for each problem that does not end the operation.
  std::function<void(const std::string&)> warn = {};

  // True if the operation should stop.
  bool Stopped() const { return stop && stop(); }
  // Throws Error(kStopped) if the operation should stop.
  void CheckStop() const;
  // Reports progress, then calls CheckStop.
  void Report(const std::string& stage, int64_t done, int64_t total) const;
  // Reports a warning; does nothing without `warn`.
  void Warn(const std::string& line) const;

  // Returns a copy without `progress`, for a part of an operation that reports
  // progress itself.
  Run WithoutProgress() const;
  // Returns a copy that puts `prefix` before the name of each stage.
  Run WithStagePrefix(const std::string& prefix) const;
};

}  // namespace rebasin

#endif  // REBASIN_RUN_H_
