// Tensors that nothing permutes.

#ifndef REBASIN_SYMMETRY_FIXED_TENSORS_H_
#define REBASIN_SYMMETRY_FIXED_TENSORS_H_

#include <vector>

#include "rebasin/symmetry.h"

namespace rebasin {

// The symmetry with these tensors, none of whose axes is permuted, added.
Symmetry WithFixedTensors(const Symmetry& symmetry,
                          const std::vector<Tensor>& tensors);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_FIXED_TENSORS_H_
