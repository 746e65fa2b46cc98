// Lists of tensors, which a group permutes among each other.

#ifndef REBASIN_SYMMETRY_LISTS_H_
#define REBASIN_SYMMETRY_LISTS_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "rebasin/symmetry.h"

namespace rebasin {

// The lists that tensors say they are in: for each, the indices of its tensors
// in their order. Throws Error(kBadInput) where a list is not as long as its
// group is large, or its tensors are not all alike.
std::map<std::string, std::vector<int>> FindLists(
    std::span<const Group> groups, std::span<const TensorSymmetry> tensors);

// The whole list as one tensor: its first axis is the list's group.
TensorSymmetry Stacked(const TensorSymmetry& member,
                       std::span<const Group> groups);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_LISTS_H_
