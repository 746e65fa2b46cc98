// Tensors that are one tensor under several names.

#ifndef REBASIN_SYMMETRY_TIES_H_
#define REBASIN_SYMMETRY_TIES_H_

#include "rebasin/symmetry.h"

namespace rebasin {

// Throws Error(kBadInput) if tensors that share their bytes have different
// axes: to the program that wrote the file they are one, and would no longer be
// after they were permuted by different groups. Not for graphs, whose exporters
// store weights once that happen to be equal.
void CheckTies(const Symmetry& symmetry, const Checkpoint& checkpoint);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_TIES_H_
