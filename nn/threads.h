// Who uses the cores: LibTorch inside one operator, or we, one batch a thread.

#ifndef REBASIN_NN_THREADS_H_
#define REBASIN_NN_THREADS_H_

namespace rebasin::nn {

// 0 means one for each core.
int ThreadCount(int threads);

// While it lives, operators called from this thread use `threads` threads
// (LibTorch's own and oneDNN's).
class OperatorThreads {
 public:
  explicit OperatorThreads(int threads);
  ~OperatorThreads();
  OperatorThreads(const OperatorThreads&) = delete;
  OperatorThreads& operator=(const OperatorThreads&) = delete;

 private:
  int before_;
};

// The same for OpenBLAS, which LibTorch does not govern, and for all threads of
// the process.
class BlasThreads {
 public:
  explicit BlasThreads(int threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_THREADS_H_
