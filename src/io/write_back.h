// Starts writing data to disk while more is being written, so that the final
// fsync has little left to do.

#ifndef REBASIN_IO_WRITE_BACK_H_
#define REBASIN_IO_WRITE_BACK_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace rebasin {

// Uses its own thread, because the system call waits while the disk's queue is
// full. This is only an optimisation: without a thread nothing happens, and
// errors are left to the fsync.
class WriteBack {
 public:
  // The amount of data for each call. Small, so that the disk starts early and
  // never idles: with 32 MB, conversions took up to 40 % longer on slow disks.
  static constexpr int64_t kPiece = int64_t{4} << 20;

  // `fd` must stay open as long as this object exists.
  explicit WriteBack(int fd);
  ~WriteBack();
  WriteBack(const WriteBack&) = delete;
  WriteBack& operator=(const WriteBack&) = delete;

  // Reports that the first `bytes` bytes have been written.
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
