// Long work that ends well when it is asked to: SIGINT, SIGTERM and SIGHUP (a
// terminal that is closed) are noted unless they are ignored; a second one ends
// the program at once.

#ifndef REBASIN_CLI_INTERRUPT_H_
#define REBASIN_CLI_INTERRUPT_H_

#include <array>

namespace rebasin::cli {

// While one is there, signals are noted.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  using Handler = void (*)(int);
  std::array<Handler, 3> before_;
};

bool Interrupted();
// What shells expect of a program that a signal ended.
int InterruptedExitCode();

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_INTERRUPT_H_
