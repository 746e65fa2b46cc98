// A sum, mean or maximum over an axis does not depend on the order of its
// indices. The position of a maximum does.

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

// Labels of the output: the axes of the input that are kept, in order.
Labels KeptLabels(const Labels& input, const std::set<int>& reduced,
                  bool keep_dims) {
  Labels labels;
  for (int label : input) {
    if (!reduced.contains(label)) {
      labels.push_back(label);
    } else if (keep_dims) {
      labels.push_back(kNoLabel);
    }
  }
  return labels;
}

void Reduce(RuleContext& context) {
  const OpContext& op = context.op();
  const int64_t rank = op.rank(0);
  const Labels x = InOrder(rank);
  std::set<int> reduced;
  if (op.Has(1)) {
    const auto axes = op.Ints(size_t{1});
    if (!axes) return context.FixAll();
    for (int64_t axis : *axes) {
      reduced.insert(static_cast<int>(op.NormalAxis(axis, rank)));
    }
  }
  if (reduced.empty() && op.Int("noop_with_empty_axes", 0) == 0) {
    reduced.insert(x.begin(), x.end());
  }
  const bool keep_dims = op.Int("keepdims", 1) != 0;
  context.Apply({.inputs = {x},
                 .outputs = {KeptLabels(x, reduced, keep_dims)},
                 .mixed = reduced});
}

void Position(RuleContext& context) {
  const OpContext& op = context.op();
  const Labels x = InOrder(op.rank(0));
  const std::set<int> axis = {
      static_cast<int>(op.NormalAxis(op.Int("axis", 0), op.rank(0)))};
  const bool keep_dims = op.Int("keepdims", 1) != 0;
  context.Apply({.inputs = {x},
                 .outputs = {KeptLabels(x, axis, keep_dims)},
                 .mixed = axis,
                 .fixed = axis});
}

void CumSum(RuleContext& context) {
  const auto axes = context.op().Ints(size_t{1});
  if (!axes || axes->size() != 1) return context.FixAll();
  const int64_t rank = context.op().rank(0);
  const std::set<int> axis = {
      static_cast<int>(context.op().NormalAxis((*axes)[0], rank))};
  context.Apply({.inputs = {InOrder(rank)},
                 .outputs = {InOrder(rank)},
                 .mixed = axis,
                 .fixed = axis});
}

constexpr NamedRule kRules[] = {
    {"ReduceSum", Reduce},       {"ReduceMean", Reduce},
    {"ReduceMax", Reduce},       {"ReduceMin", Reduce},
    {"ReduceProd", Reduce},      {"ReduceL1", Reduce},
    {"ReduceL2", Reduce},        {"ReduceLogSum", Reduce},
    {"ReduceLogSumExp", Reduce}, {"ReduceSumSquare", Reduce},
    {"ArgMax", Position},        {"ArgMin", Position},
    {"CumSum", CumSum},
};

}  // namespace

std::span<const NamedRule> ReductionRules() { return kRules; }

}  // namespace rebasin
