#include <algorithm>

#include "rebasin/symmetry.h"

namespace rebasin {

int64_t TensorSymmetry::size(size_t axis) const {
  int64_t size = axes[axis].size();
  if (axis != along) return size;
  for (const auto& part : more_parts) size += part[axis].size();
  return size;
}

int64_t TensorSymmetry::elements() const {
  int64_t elements = 1;
  for (size_t a = 0; a < axes.size(); ++a) {
    if (size(a) == 0) return 0;  // the product of the others might overflow
  }
  for (size_t a = 0; a < axes.size(); ++a) elements *= size(a);
  return elements;
}

std::set<int> TensorSymmetry::Groups() const {
  std::set<int> groups = {member.group};
  for (size_t p = 0; p < parts(); ++p) {
    for (const Axis& axis : part(p)) {
      for (const Segment& segment : axis.segments) {
        for (const Factor& factor : segment) groups.insert(factor.group);
      }
    }
  }
  groups.erase(kNoGroup);
  return groups;
}

std::vector<std::string> AxisTexts(const TensorSymmetry& tensor,
                                   std::span<const Group> groups) {
  std::vector<std::string> texts;
  for (size_t a = 0; a < tensor.axes.size(); ++a) {
    std::vector<std::string> parts;
    for (size_t p = 0; p < tensor.parts(); ++p) {
      parts.push_back(AxisText(tensor.part(p)[a], groups));
    }
    const bool same =
        a != tensor.along &&
        std::all_of(parts.begin(), parts.end(),
                    [&](const std::string& text) { return text == parts[0]; });
    std::string text = parts[0];
    for (size_t p = 1; p < parts.size() && !same; ++p) text += " | " + parts[p];
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace rebasin
