#include "nn/ops/ops.h"

namespace rebasin::nn {

std::span<const Lowering> PoolingLowerings() { return {}; }

}  // namespace rebasin::nn
