// The lowerings, one file for each family, as in graph/ops. families.cmake
// generates AllLowerings() from the list of files.

#ifndef REBASIN_NN_OPS_OPS_H_
#define REBASIN_NN_OPS_OPS_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "nn/lowering.h"

namespace rebasin::nn {

std::vector<std::span<const Lowering>> AllLowerings();

// Common restrictions of lowerings. Only the reference functions handle other
// kinds (the root of an integer).
bool OfFloats(const OpContext& context);  // input 0 is floating-point
// input 0 is floating-point or integer
bool OfNumbers(const OpContext& context);

// Pads x with `fill` by (before, after) for each of its last axes; negative
// padding crops. Returns x if there is nothing to do.
at::Tensor Padded(const at::Tensor& x,
                  const std::vector<std::pair<int64_t, int64_t>>& margins,
                  double fill = 0);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_OPS_OPS_H_
