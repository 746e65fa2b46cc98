// Whether a run shows an effect of a group. Without an effect, a run proves
// nothing about the group.

#ifndef REBASIN_VERIFY_VISIBILITY_H_
#define REBASIN_VERIFY_VISIBILITY_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/symmetry.h"
#include "verify/trial.h"

namespace rebasin {

// The alignment that rotates the units of these groups by one position, in all
// copies, and leaves everything else.
Alignment Rotation(const std::shared_ptr<const Symmetry>& symmetry,
                   const std::vector<int>& groups);

// The groups among `groups` that have no visible effect on the outputs. A group
// is tested by permuting it in one tensor at a time. It is visible if an output
// changes by more than `threshold` of its largest value. If a group occurs in
// one tensor only, that tensor's permuted elements are also disturbed. If a
// group occurs in one of the tensors `late`, only these are changed, since they
// are read where possibly nothing is computed.
std::vector<int> FindUnseen(const Trial& trial, const Checkpoint& weights,
                            const std::shared_ptr<const Symmetry>& symmetry,
                            const std::vector<int>& groups,
                            const std::set<std::string>& late, double threshold,
                            uint64_t seed, int threads);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_VISIBILITY_H_
