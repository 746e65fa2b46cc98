// Parallel loops over a fixed set of tasks.
//
// The caller chooses the tasks. The number of threads must not change what they
// compute, so that results are bitwise the same for any number.

#ifndef REBASIN_BASE_PARALLEL_H_
#define REBASIN_BASE_PARALLEL_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "rebasin/run.h"

namespace rebasin {

class ThreadPool {
 public:
  // Creates `threads` threads, the caller included; 0 means one for each core.
  // If the system refuses to create some, works with fewer.
  explicit ThreadPool(int threads);
  // The same with the threads of `run`. Its `stop`, which must remain callable,
  // ends loops: it is asked before each task that the caller of For runs.
  explicit ThreadPool(const Run& run);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  // Runs task(0), ..., task(count - 1), each once, started in this order, and
  // returns when all are done. If a task throws, no further task starts, and
  // the exception of the lowest index is rethrown when the others have ended.
  // Called from inside a task, it runs serially. Throws Error(kStopped), when
  // all tasks have ended, if the pool was made for a Run that asks to stop.
  void For(int64_t count, const std::function<void(int64_t)>& task);

  // Throws Error(kStopped) if the pool was made for a Run that asks to stop.
  // For long serial parts between loops; not to be called from a task.
  void CheckStop() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rebasin

#endif  // REBASIN_BASE_PARALLEL_H_
