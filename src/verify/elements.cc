#include "verify/elements.h"

#include <algorithm>
#include <cmath>

#include "rebasin/discovery.h"

namespace rebasin {

double EvidenceOf(const Group& group) {
  return std::lgamma(static_cast<double>(group.size) + 1);
}

int EnoughElements(const Symmetry& symmetry) {
  int enough = 1;
  for (const Group& group : symmetry.groups()) {
    if (group.size < 2) continue;
    const double elements = std::ceil(kEnoughEvidence / EvidenceOf(group));
    enough = std::max(enough, static_cast<int>(elements));
  }
  return enough;
}

}  // namespace rebasin
