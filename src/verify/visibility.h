// Whether a run can see a group at all: what no run sees, no run proves.

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

// Moves the units of these groups, all copies by one step, and nothing else.
Alignment Rotation(const std::shared_ptr<const Symmetry>& symmetry,
                   const std::vector<int>& groups);

// Those of `groups` whose units have no visible effect on the outputs: moving
// them in one tensor alone, without the others that they stand in, changes no
// output by more than `threshold` of its largest value; and for groups that
// stand in one tensor alone, neither do other numbers there. Of a group that
// stands in one of the tensors `late`, only these are moved: what is read where
// perhaps nothing is left to be computed.
std::vector<int> FindUnseen(const Trial& trial, const Checkpoint& weights,
                            const std::shared_ptr<const Symmetry>& symmetry,
                            const std::vector<int>& groups,
                            const std::set<std::string>& late, double threshold,
                            uint64_t seed, int threads);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_VISIBILITY_H_
