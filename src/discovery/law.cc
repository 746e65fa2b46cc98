#include "discovery/law.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rebasin {
namespace {

int Count(const Product& product, AtomId atom) {
  return static_cast<int>(std::count(product.begin(), product.end(), atom));
}

// The other axis that is a single product containing `outer` once; -1 if there
// is none or more than one.
int OnlyAxisWith(const std::vector<Expression>& axes, size_t except,
                 AtomId outer) {
  int found = -1;
  for (size_t k = 0; k < axes.size(); ++k) {
    int count = 0;
    for (const Product& product : axes[k]) count += Count(product, outer);
    if (k == except || count == 0) continue;
    if (found >= 0 || count > 1 || axes[k].size() > 1) return -1;
    found = static_cast<int>(k);
  }
  return found;
}

std::vector<Expression> MultiplyAll(const std::vector<Expression>& axes,
                                    AxisAlgebra& algebra) {
  std::vector<Expression> multiplied;
  for (const Expression& axis : axes) {
    multiplied.push_back(algebra.Multiplied(axis));
  }
  return multiplied;
}

// Calls visit(atom, its outer atom, axis, axis of the outer atom). The last is
// the same axis if they share a product, and -1 if the outer atom is missing.
template <typename Visit>
void ForEachClaim(const std::vector<Expression>& axes, AxisAlgebra& algebra,
                  const Visit& visit) {
  for (size_t k = 0; k < axes.size(); ++k) {
    for (const Product& product : axes[k]) {
      for (AtomId atom : product) {
        const AtomId outer = algebra.Outer(atom);
        if (outer == kNoAtom) continue;
        const int here = Count(product, outer);
        const int where = here == 1  ? static_cast<int>(k)
                          : here > 1 ? -1
                                     : OnlyAxisWith(axes, k, outer);
        visit(atom, outer, static_cast<int>(k), where);
      }
    }
  }
}

}  // namespace

std::vector<AtomId> ClaimsWithoutOuter(const std::vector<Expression>& axes,
                                       AxisAlgebra& algebra) {
  std::vector<AtomId> strays;
  ForEachClaim(MultiplyAll(axes, algebra), algebra,
               [&](AtomId atom, AtomId, int, int where) {
                 if (where < 0) strays.push_back(atom);
               });
  return strays;
}

std::vector<AtomId> ClaimsBreakingLaw(const Law& law, AxisAlgebra& algebra) {
  std::vector<AtomId> breaches;
  // The label of the outer atom of each (label, atom). It must be the same in
  // all operands.
  std::map<std::pair<int, AtomId>, int> label_of_outer;
  for (const auto& operand : law.operands) {
    std::vector<Expression> axes;
    for (const LabelledAxis& axis : operand) {
      axes.push_back(algebra.Multiplied(axis.axis));
    }
    ForEachClaim(axes, algebra, [&](AtomId atom, AtomId, int axis, int where) {
      const int label = operand[axis].label;
      const int outer = where < 0 ? -2 : operand[where].label;
      if (label == kNoLabel) return;
      const bool torn = outer != label && law.mixed.contains(outer) &&
                        !law.mixed.contains(label);
      const auto [known, is_new] =
          label_of_outer.try_emplace({label, atom}, outer);
      const bool differs = !is_new && known->second != outer;
      if (torn || differs || where < 0) breaches.push_back(atom);
    });
  }
  return breaches;
}

}  // namespace rebasin
