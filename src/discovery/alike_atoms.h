// Finds the atoms that correspond to each other in branches that are alike.

#ifndef REBASIN_DISCOVERY_ALIKE_ATOMS_H_
#define REBASIN_DISCOVERY_ALIKE_ATOMS_H_

#include <map>
#include <optional>

#include "discovery/knowledge.h"

namespace rebasin {

// Maps each atom that occurs in the weights of one branch only (the hidden
// units of one expert) to the corresponding atom of the first branch. Returns
// nothing if the branches differ in their freedoms.
std::optional<std::map<AtomId, AtomId>> CorrespondingAtoms(
    const OrderedBranches& list, Knowledge& knowledge);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_ALIKE_ATOMS_H_
