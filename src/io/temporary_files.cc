#include "io/temporary_files.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include "io/system.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;

// A registered path. Slots form a list that only grows; free slots are reused.
// So a signal handler can read the list at any time.
struct TemporaryFileSlot {
  std::atomic<bool> taken = false;
  std::atomic<bool> live = false;  // path may be unlinked
  std::string path;                // written only while taken and not live
  bool is_folder = false;          // likewise
  TemporaryFileSlot* next = nullptr;
};

namespace {

// Enough to make collisions unlikely, and short enough for a name.
constexpr int kRandomLetters = 6;
constexpr int kAttempts = 100;
constexpr size_t kLongestName = 255;

uint64_t RandomBits() {
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) == sizeof bits) return bits;
  // Early in boot there is no random source yet; O_EXCL still protects.
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return static_cast<uint64_t>(now) * 0x9e3779b97f4a7c15u;
}

std::string RandomLetters() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  uint64_t bits = RandomBits();
  std::string text;
  for (int i = 0; i < kRandomLetters; ++i, bits /= kLetters.size()) {
    text += kLetters[bits % kLetters.size()];
  }
  return text;
}

fs::path TemporaryName(const fs::path& target) {
  const std::string ending = ".rebasin-" + RandomLetters() + ".tmp";
  std::string name = "." + target.filename().native();
  if (name.size() + ending.size() > kLongestName) {
    name.resize(kLongestName - ending.size());
  }
  return target.parent_path() / (name + ending);
}

void WriteMessage(std::string_view text) {
  [[maybe_unused]] const ssize_t ignored =
      write(STDERR_FILENO, text.data(), text.size());
}

void ExitOnSignal(int signal) {
  RemoveRegisteredFiles();
  _exit(128 + signal);
}

// Several threads may fail at the same time; only one reports it.
void ClaimErrorReport() {
  static std::atomic_flag speaking;
  while (speaking.test_and_set()) pause();
}

void ExitOnBusError(int signal, siginfo_t* info, void*) {
  // Any other bus error is a bug and should dump core.
  if (info->si_code != BUS_ADRERR) {
    RemoveRegisteredFiles();
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  ClaimErrorReport();
  WriteMessage(
      "rebasin: error: an input file was truncated or became unreadable while "
      "it was being read\n");
  RemoveRegisteredFiles();
  _exit(5);
}

}  // namespace

// The only global variable of the library: signal handlers take no arguments.
static std::atomic<TemporaryFileSlot*> first_slot = nullptr;

// Returns a slot that is reserved and not live.
static TemporaryFileSlot* TakeSlot() {
  TemporaryFileSlot* slot = first_slot;
  while (slot != nullptr && slot->taken.exchange(true)) slot = slot->next;
  if (slot != nullptr) return slot;
  slot = new TemporaryFileSlot;  // never freed: a handler may be reading it
  slot->taken = true;
  slot->next = first_slot;
  while (!first_slot.compare_exchange_weak(slot->next, slot)) {
  }
  return slot;
}

TemporaryFile::TemporaryFile(const fs::path& target) : slot_(TakeSlot()) {
  try {
    Create(AbsolutePath(target));
  } catch (...) {
    Keep();  // there is nothing to remove
    throw;
  }
}

// Registered before creation, so that a signal in between does not leave the
// file.
void TemporaryFile::Create(const fs::path& target) {
  for (int i = 0; i < kAttempts; ++i) {
    path_ = TemporaryName(target);
    slot_->path = path_.native();
    slot_->is_folder = false;
    slot_->live = true;
    fd_ = OpenFile(path_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0) return;
    slot_->live = false;
    if (errno != EEXIST) break;
  }
  ThrowIo("create a temporary file for", target, errno);
}

int TemporaryFile::TakeDescriptor() { return std::exchange(fd_, -1); }

void TemporaryFile::Remove() {
  if (slot_ == nullptr) return;
  unlink(path_.c_str());
  Keep();
}

void TemporaryFile::Keep() {
  if (fd_ >= 0) close(TakeDescriptor());
  TemporaryFileSlot* slot = std::exchange(slot_, nullptr);
  if (slot == nullptr) return;
  slot->live = false;
  slot->taken = false;
}

TemporaryFolder::TemporaryFolder(const fs::path& target) : slot_(TakeSlot()) {
  const fs::path absolute = AbsolutePath(target);
  for (int i = 0; i < kAttempts; ++i) {
    path_ = TemporaryName(absolute);
    slot_->path = path_.native();
    slot_->is_folder = true;
    slot_->live = true;
    if (mkdir(path_.c_str(), 0777) == 0) return;
    slot_->live = false;
    if (errno != EEXIST) break;
  }
  const int error = errno;
  Keep();
  ThrowIo("create a temporary folder for", target, error);
}

void TemporaryFolder::Remove() {
  if (slot_ == nullptr) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  Keep();
}

void TemporaryFolder::Keep() {
  TemporaryFileSlot* slot = std::exchange(slot_, nullptr);
  if (slot == nullptr) return;
  slot->live = false;
  slot->taken = false;
}

static void RemoveRegistered(bool folders) {
  for (TemporaryFileSlot* slot = first_slot; slot != nullptr;
       slot = slot->next) {
    if (!slot->live || slot->is_folder != folders) continue;
    folders ? rmdir(slot->path.c_str()) : unlink(slot->path.c_str());
  }
}

void RemoveRegisteredFiles() {
  RemoveRegistered(/*folders=*/false);
  RemoveRegistered(/*folders=*/true);
}

bool IsIgnored(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

void ExitCleanlyOnSignals() {
  struct sigaction action = {};
  sigfillset(&action.sa_mask);
  action.sa_handler = ExitOnSignal;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!IsIgnored(signal)) sigaction(signal, &action, nullptr);
  }
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = ExitOnBusError;
  sigaction(SIGBUS, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace rebasin
