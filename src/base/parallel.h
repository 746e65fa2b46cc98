// Parallel loops over a fixed set of tasks.
//
// The tasks are the caller's; how many threads share them must never change
// what they compute, so that results are the same bytes for any thread count.

#ifndef REBASIN_BASE_PARALLEL_H_
#define REBASIN_BASE_PARALLEL_H_

#include <cstdint>
#include <functional>
#include <memory>

namespace rebasin {

class ThreadPool {
 public:
  // `threads` in total, the caller's included; 0 means one per core. Where the
  // system refuses to create threads, works with those it got.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  // Runs task(0), ..., task(count - 1), each once, started in this order, and
  // returns when all are done. If a task throws, no more are
  // started, and the exception of the lowest index is rethrown once all others
  // ended. Called from inside a task, runs
  // serially.
  void For(int64_t count, const std::function<void(int64_t)>& task);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rebasin

#endif  // REBASIN_BASE_PARALLEL_H_
