#include "nn/packed.h"

#include <ATen/ATen.h>

namespace rebasin::nn {
namespace {

// The largest number of half precision is 65504.
constexpr double kFitsHalf = 3e4;

}  // namespace

at::Tensor Packed(const at::Tensor& value) {
  if (value.scalar_type() != at::kFloat || value.numel() == 0) return value;
  const auto [least, largest] = at::aminmax(value);
  const bool fits =
      least.item<float>() > -kFitsHalf && largest.item<float>() < kFitsHalf;
  return fits ? value.to(at::kHalf) : value;
}

at::Tensor Unpacked(const at::Tensor& value, at::ScalarType type) {
  return value.scalar_type() == at::kHalf ? value.to(type) : value;
}

}  // namespace rebasin::nn
