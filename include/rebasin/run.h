// What every long operation is given besides its inputs and its options: how
// many threads it may use, the seed of what it draws, and whom to tell how far
// it is.
//
//   const rebasin::Run run{
//       .threads = 4,
//       .progress = [](const rebasin::Progress& now) { Draw(now); },
//       .stop = [] { return interrupted.load(); }};
//   rebasin::MatchWeights(a, b, symmetry, {}, run);
//
// Neither the number of threads nor any of the functions changes a result.

#ifndef REBASIN_RUN_H_
#define REBASIN_RUN_H_

#include <cstdint>
#include <functional>
#include <string>

namespace rebasin {

// How far an operation is: `done` of `total` steps of the stage.
struct Progress {
  std::string stage;  // "matching: pass 3"
  int64_t done = 0;
  int64_t total = 0;
};

struct Run {
  int threads = 0;    // 0: one per core
  uint64_t seed = 0;  // of everything that is drawn at random
  // Called from one thread at a time, often: drawing is up to the callee.
  std::function<void(const Progress&)> progress = {};
  // Asked often. If it returns true, the operation throws Error(kStopped), or,
  // where its documentation says so, keeps its state and returns.
  std::function<bool()> stop = {};
  // Receives one line for each oddity that the operation survived.
  std::function<void(const std::string&)> warn = {};

  bool Stopped() const { return stop && stop(); }
  // Throws Error(kStopped) if the operation is to stop.
  void CheckStop() const;
  // Reports progress, then does what CheckStop does.
  void Report(const std::string& stage, int64_t done, int64_t total) const;
  void Warn(const std::string& line) const;

  // The same context for a part of an operation that reports progress itself.
  Run WithoutProgress() const;
  // The same context with `prefix` before the name of each stage.
  Run Within(const std::string& prefix) const;
};

}  // namespace rebasin

#endif  // REBASIN_RUN_H_
