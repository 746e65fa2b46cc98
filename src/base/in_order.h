// Parallel tasks, each with a part that must run in order.
//
// Sums of floating-point numbers depend on the order of their terms. If several
// threads compute terms, they add them in the order of the tasks; a thread that
// is early waits.

#ifndef REBASIN_BASE_IN_ORDER_H_
#define REBASIN_BASE_IN_ORDER_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace rebasin {

class InOrder {
 public:
  // Runs `part` after the parts of all tasks with lower indices, from 0 on.
  // Every index must be used once, and tasks must start in ascending order, as
  // ThreadPool::For starts them. Returns false without running `part` if a task
  // has failed.
  bool Run(int64_t index, const std::function<void()>& part) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || next_ == index; });
    if (failed_) return false;
    part();
    ++next_;
    lock.unlock();
    changed_.notify_all();
    return true;
  }

  // Reports that the current task will not run its part, so that no task waits
  // for it.
  void Fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t next_ = 0;
  bool failed_ = false;
};

}  // namespace rebasin

#endif  // REBASIN_BASE_IN_ORDER_H_
