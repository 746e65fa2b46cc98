#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "rebasin/error.h"

namespace rebasin {
namespace {

thread_local bool inside_task = false;

// One parallel loop: threads take indices until none is left.
class Loop {
 public:
  Loop(int64_t count, const std::function<void(int64_t)>& task)
      : count_(count), task_(task) {}

  // Works until no task is left, or until `stop` says so before a task.
  // Returns whether it did.
  bool Work(const std::function<bool()>& stop) {
    inside_task = true;
    bool stopped = false;
    // All tasks before a failed one have started, so the exception of the
    // lowest index does not depend on the number of threads.
    while (!failed_) {
      stopped = stop && stop();
      if (stopped) failed_ = true;
      const int64_t i = stopped ? count_ : next_++;
      if (i >= count_) break;
      RunTask(i);
    }
    inside_task = false;
    return stopped;
  }

  void RethrowFirst() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void RunTask(int64_t i) {
    try {
      task_(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_ || i < error_index_) {
        error_ = std::current_exception();
        error_index_ = i;
      }
      failed_ = true;
    }
  }

  const int64_t count_;
  const std::function<void(int64_t)>& task_;
  std::atomic<int64_t> next_{0};
  std::mutex mutex_;
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
  int64_t error_index_ = 0;
};

// Loops often follow each other within microseconds, but waking a sleeping
// thread takes about fifty. So threads spin for about that long before they
// sleep.
template <typename Condition>
bool HappensSoon(const Condition& condition) {
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    if (condition()) return true;
    std::this_thread::yield();
  }
  return condition();
}

}  // namespace

struct ThreadPool::Impl {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::thread> workers;
  Loop* loop = nullptr;  // the loop to work on, if any
  // Counts loops, so that no thread joins a loop twice. Like `busy`, it is
  // written under the mutex and read without it while spinning.
  std::atomic<uint64_t> generation = 0;
  std::atomic<int> busy = 0;
  bool stopping = false;
  Run run;  // who asks to stop

  void RunWorker() {
    uint64_t seen = 0;
    while (true) {
      const auto is_new = [&] { return generation != seen; };
      const bool soon = HappensSoon(is_new);
      std::unique_lock lock(mutex);
      if (!soon) changed.wait(lock, is_new);
      if (stopping) return;
      seen = generation;
      if (loop == nullptr) continue;
      Loop* mine = loop;
      ++busy;
      lock.unlock();
      mine->Work({});
      lock.lock();
      --busy;
      changed.notify_all();
    }
  }

  void Announce(Loop* next) {
    {
      const std::lock_guard lock(mutex);
      loop = next;
      ++generation;
    }
    changed.notify_all();
  }

  // Stops further threads from joining the current loop, and waits for those in
  // it.
  void Close() {
    {
      const std::lock_guard lock(mutex);
      loop = nullptr;
    }
    const auto all_done = [&] { return busy == 0; };
    HappensSoon(all_done);
    std::unique_lock lock(mutex);
    changed.wait(lock, all_done);
  }
};

ThreadPool::ThreadPool(int threads) : impl_(std::make_unique<Impl>()) {
  if (threads <= 0) {
    threads =
        std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  // Reserved before the first thread starts: an exception after that would
  // leave threads that nobody joins.
  impl_->workers.reserve(static_cast<size_t>(threads));
  for (int i = 1; i < threads; ++i) {
    try {
      impl_->workers.emplace_back([impl = impl_.get()] { impl->RunWorker(); });
    } catch (const std::exception&) {
      break;  // no more threads or memory: work with fewer
    }
  }
}

ThreadPool::ThreadPool(const Run& run) : ThreadPool(run.threads) {
  impl_->run.stop = run.stop;
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->Announce(nullptr);
  for (std::thread& worker : impl_->workers) worker.join();
}

int ThreadPool::threads() const {
  return static_cast<int>(impl_->workers.size()) + 1;
}

void ThreadPool::For(int64_t count, const std::function<void(int64_t)>& task) {
  if (inside_task) {
    for (int64_t i = 0; i < count; ++i) task(i);
    return;
  }
  if (impl_->workers.empty() || count <= 1) {
    for (int64_t i = 0; i < count; ++i) {
      CheckStop();
      task(i);
    }
    return;
  }
  Loop loop(count, task);
  impl_->Announce(&loop);
  const bool stopped = loop.Work(impl_->run.stop);
  impl_->Close();
  loop.RethrowFirst();
  if (stopped) throw Error(ErrorCode::kStopped, "stopped");
}

void ThreadPool::CheckStop() const { impl_->run.CheckStop(); }

}  // namespace rebasin
