// Parses axis expressions, and finds groups by name.

#ifndef REBASIN_SYMMETRY_AXIS_H_
#define REBASIN_SYMMETRY_AXIS_H_

#include <span>
#include <string_view>
#include <unordered_map>

#include "rebasin/symmetry.h"

namespace rebasin {

// Keeps a reference to `groups`, which must outlive it.
class GroupIndex {
 public:
  explicit GroupIndex(std::span<const Group> groups);

  int Find(std::string_view name) const;  // kNoGroup if absent
  std::span<const Group> groups() const { return groups_; }

 private:
  std::span<const Group> groups_;
  std::unordered_map<std::string_view, int> index_;
};

// Throws Error(kBadInput) if the expression is invalid.
Axis ParseAxis(std::string_view text, const GroupIndex& groups);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_AXIS_H_
