// Adds tensors that no group permutes.

#ifndef REBASIN_SYMMETRY_FIXED_TENSORS_H_
#define REBASIN_SYMMETRY_FIXED_TENSORS_H_

#include <vector>

#include "rebasin/symmetry.h"

namespace rebasin {

// A copy of the symmetry with these tensors added, with all axes fixed.
Symmetry WithFixedTensors(const Symmetry& symmetry,
                          const std::vector<Tensor>& tensors);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_FIXED_TENSORS_H_
