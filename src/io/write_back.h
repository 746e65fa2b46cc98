// Sends what is written to the disk while more is being written, so that the
// final fsync finds little left to do.

#ifndef REBASIN_IO_WRITE_BACK_H_
#define REBASIN_IO_WRITE_BACK_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace rebasin {

// In a thread of its own, since the call that starts the disk waits where the
// disk's queue is full. Advice only: where there is no thread to be had nothing
// happens, and errors are left to the fsync.
class WriteBack {
 public:
  // What it waits for before it goes on. Small, so that the disk starts early
  // and never rests: with 32 MB conversions took up to 40 % longer where the
  // disk was slow.
  static constexpr int64_t kPiece = int64_t{4} << 20;

  // Of the open file `fd`, which must stay open as long as this exists.
  explicit WriteBack(int fd);
  ~WriteBack();
  WriteBack(const WriteBack&) = delete;
  WriteBack& operator=(const WriteBack&) = delete;

  // So many bytes have been written from the start on.
  void Reached(int64_t bytes);

 private:
  void Run();

  const int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t reached_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace rebasin

#endif  // REBASIN_IO_WRITE_BACK_H_
