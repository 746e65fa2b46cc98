// Attributes of nodes without an OpContext. A missing attribute, or one of
// another type, gives the default.

#ifndef REBASIN_REPAIR_ATTRIBUTES_H_
#define REBASIN_REPAIR_ATTRIBUTES_H_

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "rebasin/graph.h"

namespace rebasin {

template <typename T>
T AttributeOr(const Node& node, std::string_view name, T otherwise) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return otherwise;
  const T* value = std::get_if<T>(&found->second);
  return value == nullptr ? otherwise : *value;
}

// For each axis of the output of a Transpose, the axis of its input. Without
// `perm`, Transpose reverses the axes.
inline std::vector<int64_t> TransposedAxes(const Node& node, size_t rank) {
  std::vector<int64_t> reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return AttributeOr(node, "perm", reversed);
}

}  // namespace rebasin

#endif  // REBASIN_REPAIR_ATTRIBUTES_H_
