#include "nn/ops/ops.h"

namespace rebasin::nn {

std::span<const Lowering> ConvLowerings() { return {}; }

}  // namespace rebasin::nn
