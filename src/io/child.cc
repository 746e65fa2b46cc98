#include "io/child.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace rebasin {
namespace {

// In a thread of its own, because OpenMP forgets after fork() that the
// caller's helpers are gone, and would wait for them.
void RunInThread(void (*work)()) {
  bool done = false;
  std::thread thread([work, &done] {
    try {
      work();
      done = true;
    } catch (...) {
    }
  });
  thread.join();
  _exit(done ? EXIT_SUCCESS : EXIT_FAILURE);
}

[[noreturn]] void RunAsChild(void (*work)(), int seconds) {
  constexpr rlimit kNoCoreFile = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &kNoCoreFile);
  for (const int signal : {SIGALRM, SIGILL, SIGSEGV, SIGABRT}) {
    std::signal(signal, SIG_DFL);
  }
  alarm(static_cast<unsigned>(seconds));
  try {
    RunInThread(work);
  } catch (...) {  // no thread
  }
  _exit(EXIT_FAILURE);
}

}  // namespace

bool EndsInAChild(void (*work)(), int seconds) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) RunAsChild(work, seconds);
  int status = 0;
  pid_t ended = -1;
  do {
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == EXIT_SUCCESS;
}

}  // namespace rebasin
