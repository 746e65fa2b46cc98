#include "onnx/folding.h"

#include <algorithm>
#include <cstring>

namespace rebasin {
namespace {

Shape WithoutOnes(Shape shape) {
  std::erase(shape, 1);
  return shape;
}

bool IsTranspose(const Tensor& a, const Tensor& b) {
  if (a.shape.size() != 2 || b.shape.size() != 2 || a.shape[0] != b.shape[1] ||
      a.shape[1] != b.shape[0]) {
    return false;
  }
  const auto item = static_cast<size_t>(DTypeBits(a.dtype)) / 8;
  const auto rows = static_cast<size_t>(a.shape[0]);
  const auto columns = static_cast<size_t>(a.shape[1]);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) {
      const auto* left = a.bytes.data() + (r * columns + c) * item;
      const auto* right = b.bytes.data() + (c * rows + r) * item;
      if (std::memcmp(left, right, item) != 0) return false;
    }
  }
  return true;
}

}  // namespace

Folding FindFolding(const Tensor& original, const Tensor& folded) {
  if (original.dtype != folded.dtype) return Folding::kNone;
  if (WithoutOnes(original.shape) == WithoutOnes(folded.shape) &&
      std::equal(original.bytes.begin(), original.bytes.end(),
                 folded.bytes.begin(), folded.bytes.end())) {
    return original.shape == folded.shape ? Folding::kSame : Folding::kReshape;
  }
  return IsTranspose(original, folded) ? Folding::kTranspose : Folding::kNone;
}

}  // namespace rebasin
