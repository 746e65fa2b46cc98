// The lowerings, one file a family, as in graph/ops. families.cmake writes
// AllLowerings() from the list of files.

#ifndef REBASIN_NN_OPS_OPS_H_
#define REBASIN_NN_OPS_OPS_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "nn/lowering.h"

namespace rebasin::nn {

std::vector<std::span<const Lowering>> AllLowerings();

// Forms that many lowerings are limited to. What other kinds mean (the root of
// an integer) only the reference says.
bool OfFloats(const OpContext& context);   // input 0 is
bool OfNumbers(const OpContext& context);  // or of integers

// x padded with `fill` by (before, after) for each of its last axes; negative
// padding cuts. x itself if there is none.
at::Tensor Padded(const at::Tensor& x,
                  const std::vector<std::pair<int64_t, int64_t>>& margins,
                  double fill = 0);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_OPS_OPS_H_
