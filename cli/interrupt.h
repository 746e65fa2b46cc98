// Lets long work stop cleanly: SIGINT, SIGTERM and SIGHUP (a closed terminal)
// are recorded unless they are ignored; a second signal ends the program
// immediately.

#ifndef REBASIN_CLI_INTERRUPT_H_
#define REBASIN_CLI_INTERRUPT_H_

#include <array>

namespace rebasin::cli {

// Records signals during its lifetime.
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
// 128 + the number of the signal, as shells expect.
int InterruptedExitCode();

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_INTERRUPT_H_
