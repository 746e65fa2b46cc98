#include "faults/inject/plan.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// Nothing here allocates memory: the calls that are counted include malloc.
namespace faults {
namespace {

struct Plan {
  char kind[16] = "";
  long call = 0;
  char act[16] = "";
  int number = 0;  // of the error or the signal
  const char* folder = nullptr;
  const char* mark = nullptr;

  bool Is(const char* text) const { return std::strcmp(act, text) == 0; }
};

Plan ReadPlan() {
  Plan plan;
  const char* text = std::getenv("REBASIN_FAULT");
  plan.folder = std::getenv("REBASIN_FAULT_FOLDER");
  plan.mark = std::getenv("REBASIN_FAULT_MARK");
  if (text == nullptr || plan.folder == nullptr || plan.mark == nullptr ||
      std::sscanf(text, "%15s %ld %15s %d", plan.kind, &plan.call, plan.act,
                  &plan.number) < 3) {
    return {};
  }
  return plan;
}

const Plan& ThePlan() {
  static const Plan plan = ReadPlan();
  return plan;
}

std::atomic<long> calls = 0;
std::atomic<bool> counts_memory = false;

// By the system calls themselves, so that no fault hits the mark.
void Mark() {
  const long fd = syscall(SYS_openat, AT_FDCWD, ThePlan().mark,
                          O_WRONLY | O_CREAT | O_APPEND, 0600);
  syscall(SYS_write, fd, "x", 1);
  syscall(SYS_close, fd);
}

bool IsOfThatKind(const char* kind) {
  const char* wanted = ThePlan().kind;
  if (std::strcmp(wanted, kind) == 0) return true;
  if (std::strcmp(wanted, "any") != 0) return false;
  for (const char* other : {"memory", "thread", "random"}) {
    if (std::strcmp(kind, other) == 0) return false;
  }
  return true;
}

// Whether this call is the one, or one of those.
bool IsHit(const char* kind) {
  const Plan& plan = ThePlan();
  if (plan.call <= 0 || !IsOfThatKind(kind)) return false;
  const long call = ++calls;
  if (plan.Is("errors") ? call < plan.call : call != plan.call) return false;
  const int error = errno;
  Mark();
  errno = error;
  return true;
}

bool StartsWithFolder(const char* path) {
  const char* folder = ThePlan().folder;
  if (folder == nullptr) return false;
  const size_t length = std::strlen(folder);
  return std::strncmp(path, folder, length) == 0 &&
         (path[length] == '/' || path[length] == '\0');
}

}  // namespace

bool Concerns(const char* path) {
  if (path == nullptr) return false;
  if (path[0] == '/') return StartsWithFolder(path);
  char here[PATH_MAX] = "";
  const int error = errno;
  syscall(SYS_getcwd, here, sizeof here);
  errno = error;
  return StartsWithFolder(here);
}

bool Concerns(int fd) {
  char link[64], path[PATH_MAX] = "";
  const int error = errno;
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long length =
      syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  errno = error;
  if (length <= 0) return false;
  path[length] = '\0';
  return StartsWithFolder(path);
}

Fate Meets(const char* kind) {
  if (!IsHit(kind)) return Fate::kNothing;
  const Plan& plan = ThePlan();
  if (plan.Is("short")) return Fate::kShortCount;
  if (plan.Is("signal")) {
    // To the process, as from outside: any thread may get it.
    kill(getpid(), plan.number);
    return Fate::kNothing;
  }
  errno = plan.number;
  return Fate::kError;
}

void StartCountingMemory() { counts_memory = true; }
bool CountsMemory() { return counts_memory; }

}  // namespace faults
