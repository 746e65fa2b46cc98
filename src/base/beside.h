// One task beside what the caller does meanwhile.

#ifndef REBASIN_BASE_BESIDE_H_
#define REBASIN_BASE_BESIDE_H_

#include <exception>
#include <thread>

namespace rebasin {

// Runs a task in a thread of its own; the destructor waits for its end. The
// task must not throw. Where the system refuses a thread, or memory for it, the
// task runs before the constructor returns: slower, and otherwise the same.
class Beside {
 public:
  template <typename Task>
  explicit Beside(Task task) {
    try {
      // Not moved: it is needed again where this fails.
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
