#include "nn/processor.h"

#include <ATen/ATen.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace rebasin::nn {
namespace {

constexpr const char* kLimit = "ONEDNN_MAX_CPU_ISA";
constexpr int kSecondsToTry = 10;

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

bool LimitIsNeeded() {
  return AnnouncesTiles() && getenv(kLimit) == nullptr &&
         !EndsInAChild(MultiplyInBFloat16, kSecondsToTry);
}

}  // namespace

bool AnnouncesTiles() {
#ifdef __x86_64__
  constexpr unsigned kExtendedFeatures = 7;
  constexpr unsigned kTiles = 1U << 24;  // of edx
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(kExtendedFeatures, 0, &a, &b, &c, &d) != 0 &&
         (d & kTiles) != 0;
#else
  return false;
#endif
}

void MultiplyInBFloat16() {
  const auto type = at::TensorOptions().dtype(at::kBFloat16);
  at::matmul(at::ones({128, 512}, type), at::ones({512, 256}, type));
  at::conv2d(at::ones({8, 32, 16, 16}, type), at::ones({32, 32, 3, 3}, type));
}

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

void AvoidBrokenTiles() {
  [[maybe_unused]] static const int kDone =
      LimitIsNeeded() ? setenv(kLimit, "AVX512_CORE_BF16", /*overwrite=*/0) : 0;
}

void KeepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kLargest = 1 << 30;  // options have type int
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, kLargest);
#endif
}

}  // namespace rebasin::nn
