// Joins the branches of an If. Inputs: the condition, the results of the branch
// for true, and those of the branch for false.

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

// The common type of both branches; unknown if they differ.
ValueType CommonType(const ValueType& a, const ValueType& b) {
  const bool same =
      a.known && b.known && a.kind == b.kind && a.shape == b.shape;
  return same ? a : ValueType{};
}

std::vector<ValueType> InferIf(const OpContext& context) {
  const size_t count = context.outputs();
  if (context.inputs() != 1 + 2 * count) {
    throw context.Bad("the results of its branches do not match its outputs");
  }
  std::vector<ValueType> types;
  for (size_t o = 0; o < count; ++o) {
    types.push_back(
        CommonType(context.type(1 + o), context.type(1 + count + o)));
  }
  return types;
}

std::vector<Array> EvaluateIf(const OpContext& context,
                              std::span<const ValueType>) {
  const Array& condition = *context.array(0);
  if (condition.size() != 1) {
    throw context.Bad("its condition is not one boolean");
  }
  const size_t first = condition.values()[0] != 0 ? 1 : 1 + context.outputs();
  std::vector<Array> results;
  for (size_t o = 0; o < context.outputs(); ++o) {
    results.push_back(*context.array(first + o));
  }
  return results;
}

// Marked as costly, so that it is not folded during inference: the condition
// may hold only for the sizes that are tried.
constexpr OperatorInput kInputs[] = {kSetting, kData};

constexpr Operator kOperators[] = {
    {"If", kAnyNumber, InferIf, EvaluateIf,
     With(kComputes, kInputs, SymmetryLaw::kRule, DegreeLaw::kNone,
          LoweredBy::kReference),
     kCostly},
};

}  // namespace

std::span<const Operator> ControlOperators() { return kOperators; }

}  // namespace rebasin
