#include "nn/processor.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace rebasin::nn {

void AvoidTileRegisters() {
  constexpr int kKeepIfSet = 0;
  [[maybe_unused]] static const int kDone =
      setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", kKeepIfSet);
}

void KeepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kLargest = 1 << 30;  // options have type int
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, kLargest);
#endif
}

}  // namespace rebasin::nn
