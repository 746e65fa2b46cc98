// Lists of tensors that are permuted as wholes by a group.

#ifndef REBASIN_SYMMETRY_LISTS_H_
#define REBASIN_SYMMETRY_LISTS_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "rebasin/symmetry.h"

namespace rebasin {

// The lists that tensors belong to: for each list, the indices of its tensors
// in order. Throws Error(kBadInput) if a list does not have as many tensors as
// its group has units, or if its tensors have different axes.
std::map<std::string, std::vector<int>> FindLists(
    std::span<const Group> groups, std::span<const TensorSymmetry> tensors);

// The whole list as one tensor, whose first axis is the list's group.
TensorSymmetry Stacked(const TensorSymmetry& member,
                       std::span<const Group> groups);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_LISTS_H_
