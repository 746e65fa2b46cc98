#include "nn/processor.h"

#include <cstdlib>

namespace rebasin::nn {

void AvoidTileRegisters() {
  constexpr int kKeepIfSet = 0;
  [[maybe_unused]] static const int kDone =
      setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", kKeepIfSet);
}

}  // namespace rebasin::nn
