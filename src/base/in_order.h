// Tasks that run side by side, each with a part that must come in order.
//
// Sums of floating-point numbers depend on the order of their terms. Where
// many threads find terms, they take turns to add them: the order is that of
// the tasks, and a thread that comes early waits.

#ifndef REBASIN_BASE_IN_ORDER_H_
#define REBASIN_BASE_IN_ORDER_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace rebasin {

class InOrder {
 public:
  // Runs `part` when those of all tasks with lower indices, from 0 on, have
  // run. Every index must come once, and lower ones must have been started
  // before, as ThreadPool::For does. False, without running it, if a task has
  // failed.
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

  // The task at hand will not come to its part: lets nobody wait for it.
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
