// Runs one task in the background.

#ifndef REBASIN_BASE_BESIDE_H_
#define REBASIN_BASE_BESIDE_H_

#include <exception>
#include <thread>

namespace rebasin {

// Runs a task in its own thread; the destructor waits for it. The task must not
// throw. If no thread can be created, or no memory is left for it, the task
// runs in the constructor: slower, but with the same result.
class Beside {
 public:
  template <typename Task>
  explicit Beside(Task task) {
    try {
      // Copied, not moved: the task is needed again if creating the thread
      // fails.
      thread_ = std::thread([task]() noexcept { task(); });
    } catch (const std::exception&) {
      task();
    }
  }
  ~Beside() {
    if (thread_.joinable()) thread_.join();
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

 private:
  std::thread thread_;
};

}  // namespace rebasin

#endif  // REBASIN_BASE_BESIDE_H_
