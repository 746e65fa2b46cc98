#include "discovery/rules/rules.h"

namespace rebasin {

void TieToPositions(RuleContext& context, const Expression& axis,
                    const Expression* positions) {
  AxisAlgebra& algebra = context.algebra();
  if (positions != nullptr &&
      algebra.SizeOf(*positions) == algebra.SizeOf(axis)) {
    return context.Unify(axis, *positions);
  }
  context.Fix(axis);
  if (positions != nullptr) context.Fix(*positions);
}

}  // namespace rebasin
