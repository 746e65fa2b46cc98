// Checks that the symmetry describes all tensors of a model.

#ifndef REBASIN_SYMMETRY_COVERAGE_H_
#define REBASIN_SYMMETRY_COVERAGE_H_

#include "rebasin/symmetry.h"

namespace rebasin {

// Throws Error(kMismatch) with the names of the tensors that are not described,
// unless the options accept them. A network uses every tensor of its file, so
// leaving one in place while others move changes the function.
void CheckCovered(const Symmetry& symmetry, const Checkpoint& checkpoint,
                  const CoverageOptions& options, const Run& run);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_COVERAGE_H_
