// Which atoms of branches that are alike correspond to each other.

#ifndef REBASIN_DISCOVERY_ALIKE_ATOMS_H_
#define REBASIN_DISCOVERY_ALIKE_ATOMS_H_

#include <map>
#include <optional>

#include "discovery/knowledge.h"

namespace rebasin {

// For atoms that only the weights of one branch have (the hidden units of one
// expert), those of the first branch in their place. Nothing if the branches
// do not have the same freedoms.
std::optional<std::map<AtomId, AtomId>> CorrespondingAtoms(
    const OrderedBranches& list, Knowledge& knowledge);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_ALIKE_ATOMS_H_
