// Long work that ends well when it is asked to: SIGINT and SIGTERM are noted,
// a second one ends the program at once.

#ifndef REBASIN_CLI_INTERRUPT_H_
#define REBASIN_CLI_INTERRUPT_H_

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
  Handler interrupt_, terminate_;  // as they were
};

bool Interrupted();
// What shells expect of a program that a signal ended.
int InterruptedExitCode();

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_INTERRUPT_H_
