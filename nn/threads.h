// Divides cores between operators (LibTorch's threads) and batches (our
// threads).

#ifndef REBASIN_NN_THREADS_H_
#define REBASIN_NN_THREADS_H_

namespace rebasin::nn {

// The number of threads; 0 means one for each core.
int ThreadCount(int threads);

// During its lifetime, operators called from this thread use `threads` threads
// of LibTorch and oneDNN.
class OperatorThreads {
 public:
  explicit OperatorThreads(int threads);
  ~OperatorThreads();
  OperatorThreads(const OperatorThreads&) = delete;
  OperatorThreads& operator=(const OperatorThreads&) = delete;

 private:
  int before_;
};

// The same for OpenBLAS, whose threads LibTorch does not set; for the whole
// process.
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
