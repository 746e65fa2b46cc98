// Operators that choose by score. Which units are chosen is given by their
// positions, and positions select the weights or results of the units. The
// result does not depend on the order of the units, so a router may have its
// experts in any order.

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

// The k largest are sorted by size. Among equal numbers the first one along the
// axis comes first, so the axis is fixed where numbers may be equal.
void TopK(RuleContext& context) {
  const OpContext& op = context.op();
  const size_t axis = op.NormalAxis(op.Int("axis", -1), op.rank(0));
  const Labels x = InOrder(op.rank(0));
  const std::set<int> along = {static_cast<int>(axis)};
  Labels chosen = x;
  chosen[axis] = kNoLabel;
  const bool any_order =
      context.IsDistinct(0, axis) && op.Int("sorted", 1) != 0;
  context.Apply({.inputs = {x},
                 .outputs = {chosen, chosen},
                 .mixed = along,
                 .fixed = any_order ? std::set<int>() : along});
  if (context.output(1) != nullptr) {
    context.SetPositions(1, context.axes(0)[axis]);
  }
}

// Labels of the data, and of the elements chosen from it. All axes other than
// the one chosen along run over the same indices in both. If there are fewer
// indices than data, only the first ones count, and such axes are fixed.
struct ChoiceLabels {
  Labels data, chosen;
};

ChoiceLabels LabelChoice(RuleContext& context, size_t axis) {
  const Labels in_order = InOrder(context.op().rank(0));
  ChoiceLabels labels{in_order, in_order};
  labels.chosen[axis] = static_cast<int>(in_order.size());
  for (size_t k = 0; k < in_order.size(); ++k) {
    if (k == axis || context.shape(0)[k] == context.shape(1)[k]) continue;
    context.Fix(context.axes(0)[k]);
    context.Fix(context.axes(1)[k]);
    labels.data[k] = labels.chosen[k] = kNoLabel;
  }
  return labels;
}

// result[i, j] = data[i, indices[i, j]]
void GatherElements(RuleContext& context) {
  const OpContext& op = context.op();
  const size_t axis = op.NormalAxis(op.Int("axis", 0), op.rank(0));
  TieToPositions(context, context.axes(0)[axis], context.TakePositions(1));
  const auto [data, chosen] = LabelChoice(context, axis);
  context.Apply({.inputs = {data, chosen},
                 .outputs = {chosen},
                 .mixed = {static_cast<int>(axis)}});
}

// result = data, but result[i, indices[i, j]] = updates[i, j]
void ScatterElements(RuleContext& context) {
  const OpContext& op = context.op();
  const size_t axis = op.NormalAxis(op.Int("axis", 0), op.rank(0));
  TieToPositions(context, context.axes(0)[axis], context.TakePositions(1));
  const auto [data, chosen] = LabelChoice(context, axis);
  for (size_t k = 0; k < chosen.size(); ++k) {
    if (chosen[k] == kNoLabel) context.Fix(context.axes(2)[k]);
  }
  // If several updates have the same target, the last one wins.
  context.Apply({.inputs = {data, chosen, chosen},
                 .outputs = {data},
                 .mixed = {chosen[axis], static_cast<int>(axis)},
                 .fixed = {chosen[axis]}});
}

// A new axis that holds the second value at the index, and the first elsewhere.
void OneHot(RuleContext& context) {
  const OpContext& op = context.op();
  const size_t rank = context.shape(0).size();
  const size_t axis =
      op.NormalAxis(op.Int("axis", -1), static_cast<int64_t>(rank) + 1);
  const int64_t depth = context.output_shape(0)[axis];
  const Expression* positions = context.TakePositions(0);
  const Expression made = context.FreeAxis(0, depth);
  TieToPositions(context, made, positions);
  for (size_t i : {1, 2}) {
    for (const Expression& each : context.axes(i)) context.Fix(each);
  }
  Axes result = context.axes(0);
  result.insert(result.begin() + static_cast<int64_t>(axis), made);
  context.SetAxes(0, std::move(result));
}

constexpr NamedRule kRules[] = {
    {"TopK", TopK},
    {"GatherElements", GatherElements},
    {"ScatterElements", ScatterElements},
    {"OneHot", OneHot},
};

}  // namespace

std::span<const NamedRule> ChoiceRules() { return kRules; }

}  // namespace rebasin
