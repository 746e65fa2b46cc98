#include "nn/processor.h"

#include <ATen/ATen.h>

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "io/child.h"

namespace rebasin::nn {
namespace {

constexpr const char* kLimit = "ONEDNN_MAX_CPU_ISA";
constexpr int kSecondsToTry = 10;

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
