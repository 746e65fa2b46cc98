// Whether all tensors of a model are described.

#ifndef REBASIN_SYMMETRY_COVERAGE_H_
#define REBASIN_SYMMETRY_COVERAGE_H_

#include "rebasin/symmetry.h"

namespace rebasin {

// Throws Error(kMismatch) that names the tensors that are not described, unless
// the options accept them. A network uses every tensor of its file: one that
// stays where it is while others move makes it another function.
void CheckCovered(const Symmetry& symmetry, const Checkpoint& checkpoint,
                  const CoverageOptions& options, const Run& run);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_COVERAGE_H_
