#include "python/bindings/operation.h"

#include <nanobind/stl/string.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rebasin::python {
namespace {

namespace nb = nanobind;

constexpr auto kInterval = std::chrono::milliseconds(30);

// What the worker tells the thread that waits for it.
class Messages {
 public:
  void SetProgress(const Progress& now) {
    const std::lock_guard lock(mutex_);
    progress_ = now;
  }
  void AddWarning(const std::string& line) {
    const std::lock_guard lock(mutex_);
    warnings_.push_back(line);
  }
  void SetDone() {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_one();
  }
  // Returns whether the work is done, at latest after the interval.
  bool Wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kInterval, [&] { return done_; });
  }
  std::optional<Progress> TakeProgress() {
    const std::lock_guard lock(mutex_);
    return std::exchange(progress_, std::nullopt);
  }
  std::vector<std::string> TakeWarnings() {
    const std::lock_guard lock(mutex_);
    return std::exchange(warnings_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::optional<Progress> progress_;
  std::vector<std::string> warnings_;
};

// Calls what Python asked to be called. Requires the interpreter lock.
void PassOn(const Settings& settings, Messages& messages) {
  const std::optional<Progress> now = messages.TakeProgress();
  if (now && !settings.progress.is_none()) {
    settings.progress(now->stage, now->done, now->total);
  }
  for (const std::string& line : messages.TakeWarnings()) {
    if (!settings.warn.is_none()) settings.warn(line);
  }
}

// Handles signals and messages; throws if a handler or a callback raised.
void Attend(const Settings& settings, Messages& messages) {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  PassOn(settings, messages);
}

}  // namespace

void RunWork(const Settings& settings,
             const std::function<void(const Run&)>& work) {
  Messages messages;
  std::atomic<bool> stop = false;
  std::exception_ptr failure, raised;
  Run run{.threads = settings.threads, .seed = settings.seed};
  run.stop = [&] { return stop.load(std::memory_order_relaxed); };
  run.warn = [&](const std::string& line) { messages.AddWarning(line); };
  if (!settings.progress.is_none()) {
    run.progress = [&](const Progress& now) { messages.SetProgress(now); };
  }
  std::thread worker([&] {
    try {
      work(run);
    } catch (...) {
      failure = std::current_exception();
    }
    messages.SetDone();
  });
  for (bool done = false; !done;) {
    {
      const nb::gil_scoped_release released;
      done = messages.Wait();
    }
    if (raised) continue;
    try {
      Attend(settings, messages);
    } catch (...) {
      raised = std::current_exception();
      stop = true;
    }
  }
  worker.join();
  if (raised) std::rethrow_exception(raised);
  if (failure) std::rethrow_exception(failure);
}

void BindOperation(nb::module_& module) {
  nb::class_<Settings>(module, "Settings",
                       "How an operation runs: threads, seed and callbacks.")
      .def(
          "__init__",
          [](Settings* self, int threads, uint64_t seed, nb::object progress,
             nb::object warn) {
            new (self)
                Settings{threads, seed, std::move(progress), std::move(warn)};
          },
          nb::kw_only(), nb::arg("threads"), nb::arg("seed"),
          nb::arg("progress").none(), nb::arg("warn").none());
}

}  // namespace rebasin::python
