#include "io/write_back.h"

#include <fcntl.h>

#include <exception>

namespace rebasin {

WriteBack::WriteBack(int fd) : fd_(fd) {
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::exception&) {
    // No thread or no memory: continue without write-back.
  }
}

WriteBack::~WriteBack() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void WriteBack::Reached(int64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    reached_ = bytes;
  }
  changed_.notify_one();
}

void WriteBack::Run() {
  int64_t begun = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || reached_ - begun >= kPiece; });
    if (ending_) return;
    const int64_t end = reached_;
    lock.unlock();
    sync_file_range(fd_, begun, end - begun, SYNC_FILE_RANGE_WRITE);
    begun = end;
    lock.lock();
  }
}

}  // namespace rebasin
