// Tensors that are one tensor under several names.

#ifndef REBASIN_SYMMETRY_TIES_H_
#define REBASIN_SYMMETRY_TIES_H_

#include <vector>

#include "rebasin/symmetry.h"

namespace rebasin {

// Throws Error(kBadInput) if tensors that share their bytes have different
// axes: to the program that wrote the file they are one, and would no longer be
// after they were permuted by different groups. Not for the graphs of .onnx
// files, whose exporters store weights once that happen to be equal.
void CheckTies(const Symmetry& symmetry, const Checkpoint& checkpoint);

// Tensors of the checkpoint that are not described, but share all their bytes
// with one that is: other names of it, which move along.
std::vector<Companion> OtherNames(const Symmetry& symmetry,
                                  const Checkpoint& checkpoint);

// Throws Error(kMismatch) if tensors are tied in one model and hold different
// values in the other: whatever came of both would keep or break the tie of
// one of them.
void CheckSameTies(const Checkpoint& a, const Checkpoint& b);

// Lets those of `tensors` share their bytes that do in `like`, if they hold the
// same: what was computed for each by itself is one tensor again. By name, in
// ascending order.
void ShareAsIn(const Checkpoint& like, std::vector<Tensor>& tensors);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_TIES_H_
