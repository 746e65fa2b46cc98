#include "symmetry/fixed_tensors.h"

#include <utility>

namespace rebasin {

Symmetry WithFixedTensors(const Symmetry& symmetry,
                          const std::vector<Tensor>& tensors) {
  std::vector<TensorSymmetry> described = symmetry.tensors();
  for (const Tensor& tensor : tensors) {
    TensorSymmetry fixed{.name = tensor.name, .axes = {}};
    for (int64_t size : tensor.shape) {
      fixed.axes.push_back({.segments = {{{kNoGroup, size}}}});
    }
    described.push_back(std::move(fixed));
  }
  return Symmetry(symmetry.groups(), std::move(described), symmetry.scalings());
}

}  // namespace rebasin
