#include "nn/ops/ops.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace rebasin::nn {

bool OfFloats(const OpContext& context) {
  return context.type(0).kind == Kind::kFloat;
}

bool OfNumbers(const OpContext& context) {
  return context.type(0).kind != Kind::kBoolean;
}

at::Tensor Padded(const at::Tensor& x,
                  const std::vector<std::pair<int64_t, int64_t>>& margins,
                  double fill) {
  // LibTorch starts with the last axis.
  std::vector<int64_t> pads;
  for (size_t i = margins.size(); i-- > 0;) {
    pads.push_back(margins[i].first);
    pads.push_back(margins[i].second);
  }
  const bool none = std::all_of(pads.begin(), pads.end(),
                                [](int64_t pad) { return pad == 0; });
  return none ? x : at::constant_pad_nd(x, pads, fill);
}

}  // namespace rebasin::nn
