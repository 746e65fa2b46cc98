// The state of a descent between two visits.

#ifndef REBASIN_MATCH_STATE_DESCENT_STATE_H_
#define REBASIN_MATCH_STATE_DESCENT_STATE_H_

#include <string>
#include <vector>

#include "assignment/assignment.h"
#include "match/state/state_tensors.h"
#include "rebasin/alignment.h"

namespace rebasin {

// The permutations of all groups.
void SaveAlignment(const Alignment& alignment, StateWriter& to);
// Throws Error(kBadInput) unless all are permutations.
void RestoreAlignment(const StateReader& from, Alignment& alignment);

void SaveDuals(const AssignmentDuals& duals, const std::string& prefix,
               StateWriter& to);
// `n` units. Throws Error(kBadInput) if a number is not finite.
AssignmentDuals RestoreDuals(const StateReader& from, const std::string& prefix,
                             int64_t n);

}  // namespace rebasin

#endif  // REBASIN_MATCH_STATE_DESCENT_STATE_H_
