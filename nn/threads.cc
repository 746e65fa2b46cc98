#include "nn/threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <omp.h>

#include <algorithm>
#include <thread>

namespace rebasin::nn {
namespace {

// LibTorch uses the BLAS library that the system has chosen; only OpenBLAS has
// its own threads and these functions.
template <typename Function>
Function* OpenBlas(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

int OpenBlasThreads() {
  static auto* const get = OpenBlas<int()>("openblas_get_num_threads");
  return get == nullptr ? 1 : get();
}

void SetOpenBlasThreads(int threads) {
  static auto* const set = OpenBlas<void(int)>("openblas_set_num_threads");
  // The call takes a lock and may start threads, so it is made only if
  // necessary.
  if (set != nullptr && threads != OpenBlasThreads()) set(threads);
}

}  // namespace

int ThreadCount(int threads) {
  if (threads > 0) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// OpenMP's number belongs to the calling thread, and LibTorch uses it once
// initialised.
OperatorThreads::OperatorThreads(int threads) {
  at::init_num_threads();
  before_ = omp_get_max_threads();
  omp_set_num_threads(threads);
}

OperatorThreads::~OperatorThreads() { omp_set_num_threads(before_); }

BlasThreads::BlasThreads(int threads) : before_(OpenBlasThreads()) {
  SetOpenBlasThreads(threads);
}

BlasThreads::~BlasThreads() { SetOpenBlasThreads(before_); }

}  // namespace rebasin::nn
