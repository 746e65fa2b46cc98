// Tied tensors: one tensor with several names.

#ifndef REBASIN_SYMMETRY_TIES_H_
#define REBASIN_SYMMETRY_TIES_H_

#include <vector>

#include "rebasin/symmetry.h"

namespace rebasin {

// Throws Error(kBadInput) if tensors that share their bytes have different
// axes. For the program that wrote the file they are one tensor, and permuting
// them by different groups would separate them. Not for graphs of .onnx files,
// whose exporters merge weights that happen to be equal.
void CheckTies(const Symmetry& symmetry, const Checkpoint& checkpoint);

// The tensors of the checkpoint that are not described, but share all their
// bytes with one that is. They are other names of that tensor, and are permuted
// with it.
std::vector<Companion> OtherNames(const Symmetry& symmetry,
                                  const Checkpoint& checkpoint);

// Throws Error(kMismatch) if tensors are tied in one model and have different
// values in the other, since no result could be right for both models.
void CheckSameTies(const Checkpoint& a, const Checkpoint& b);

// Lets tensors share their bytes if those with the same names do in `like` and
// if their values are equal. Restores ties after each tensor has been computed
// separately. `tensors` must be sorted by name.
void RestoreTies(const Checkpoint& like, std::vector<Tensor>& tensors);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_TIES_H_
