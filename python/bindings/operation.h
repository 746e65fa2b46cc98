// Runs the library's long operations for Python: without the global interpreter
// lock, with progress and warnings, and so that Ctrl-C stops them.

#ifndef REBASIN_PYTHON_BINDINGS_OPERATION_H_
#define REBASIN_PYTHON_BINDINGS_OPERATION_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "rebasin/run.h"

namespace rebasin::python {

// What callers say about how to run: the Python side of a Run.
struct Settings {
  int threads = 0;
  uint64_t seed = 0;
  nanobind::object progress;  // called with (stage, done, total); or None
  nanobind::object warn;      // called with one line; or None
};

void BindOperation(nanobind::module_& module);

// Calls `work` on a thread of its own and waits for it. Meanwhile the calling
// thread handles signals, and passes progress and warnings to Python about 30
// times a second. So Python runs in the thread that called, and a signal
// handler that raises (as that of Ctrl-C does) stops the work; its exception is
// thrown when the work has ended. Requires the global interpreter lock.
void RunWork(const Settings& settings,
             const std::function<void(const Run&)>& work);

// The same for work with a result.
template <class Work>
auto RunOperation(const Settings& settings, const Work& work) {
  std::optional<decltype(work(Run()))> result;
  RunWork(settings, [&](const Run& run) { result.emplace(work(run)); });
  return *std::move(result);
}

}  // namespace rebasin::python

#endif  // REBASIN_PYTHON_BINDINGS_OPERATION_H_
