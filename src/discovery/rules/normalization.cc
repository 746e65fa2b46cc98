// Mean, variance, maximum and sum over an axis do not depend on the order of
// its indices. So normalising along the axis commutes with permuting it, if the
// parameters along the axis are permuted too.

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

std::set<int> Range(int begin, int end) {
  std::set<int> range;
  for (int i = begin; i < end; ++i) range.insert(i);
  return range;
}

// Normalises each channel by its own statistics.
void BatchNorm(RuleContext& context) {
  const Labels x = InOrder(context.op().rank(0));
  const Labels channel = {x.size() > 1 ? 1 : 0};
  context.Apply({.inputs = {x, channel, channel, channel, channel},
                 .outputs = {x, channel, channel, channel, channel}});
}

void InstanceNorm(RuleContext& context) {
  const int rank = static_cast<int>(context.op().rank(0));
  context.Apply({.inputs = {InOrder(rank), {1}, {1}},
                 .outputs = {InOrder(rank)},
                 .mixed = Range(2, rank)});
}

void LayerNorm(RuleContext& context) {
  const int rank = static_cast<int>(context.op().rank(0));
  const int axis = static_cast<int>(
      context.op().NormalAxis(context.op().Int("axis", -1), rank));
  Labelling labelling{.inputs = {InOrder(rank)}, .outputs = {InOrder(rank)}};
  for (size_t i = 1; i < context.inputs(); ++i) {
    labelling.inputs.push_back(
        context.Has(i) ? Broadcast(context.shape(i), context.shape(0))
                       : Labels{});
  }
  // Mean and deviation have the axes before `axis`.
  Labels statistics(rank, kNoLabel);
  for (int k = 0; k < axis; ++k) statistics[k] = k;
  labelling.outputs.resize(3, statistics);
  labelling.mixed = Range(axis, rank);
  context.Apply(labelling);
}

// Softmax and similar operators, and the norms without parameters.
void AlongAxis(RuleContext& context) {
  const int rank = static_cast<int>(context.op().rank(0));
  const int axis = static_cast<int>(
      context.op().NormalAxis(context.op().Int("axis", -1), rank));
  context.Apply(
      {.inputs = {InOrder(rank)}, .outputs = {InOrder(rank)}, .mixed = {axis}});
}

// Among equal maxima the first wins, so the order matters.
void Hardmax(RuleContext& context) {
  const int rank = static_cast<int>(context.op().rank(0));
  const int axis = static_cast<int>(
      context.op().NormalAxis(context.op().Int("axis", -1), rank));
  context.Apply(
      {.inputs = {InOrder(rank)}, .outputs = {InOrder(rank)}, .fixed = {axis}});
}

void MeanVariance(RuleContext& context) {
  const int rank = static_cast<int>(context.op().rank(0));
  std::set<int> mixed;
  for (int64_t axis : context.op().Ints("axes", {0, 2, 3})) {
    mixed.insert(static_cast<int>(context.op().NormalAxis(axis, rank)));
  }
  context.Apply(
      {.inputs = {InOrder(rank)}, .outputs = {InOrder(rank)}, .mixed = mixed});
}

// Normalises across neighbouring channels, so their order matters.
void LocalResponse(RuleContext& context) {
  const Labels x = InOrder(context.op().rank(0));
  context.Apply({.inputs = {x}, .outputs = {x}, .fixed = {1}});
}

// A channel is (group, channel within the group). A group is normalised over
// its channels and all positions. There is one parameter for each group (opset
// 18) or for each channel (opset 21).
void GroupNorm(RuleContext& context) {
  const int64_t groups = context.op().Int("num_groups", 1);
  const int64_t channels = context.shape(0)[1];
  const Expression whole = context.axes(0)[1];
  Expression group = {{}};
  Expression inner = whole;
  if (groups == channels) {
    std::swap(group, inner);
  } else if (groups > 1) {
    const AtomId outer = context.FreeSlot(0, groups);
    group = {{outer}};
    inner = {{context.FreeSlot(1, channels / groups, outer)}};
    context.Unify(whole, {{outer, inner[0][0]}});
  }
  for (size_t i : {1, 2}) {
    const bool per_channel = context.shape(i)[0] == channels;
    context.Unify(context.axes(i)[0], per_channel ? whole : group);
  }
  // x as (batch, group, channel, positions...), all but the first two mixed.
  Law law;
  law.operands.resize(1);
  Axes split = context.axes(0);
  split[1] = inner;
  split.insert(split.begin() + 1, group);
  for (size_t k = 0; k < split.size(); ++k) {
    const int label = static_cast<int>(k);
    law.operands[0].push_back({label, split[k]});
    if (k >= 2) law.mixed.insert(label);
  }
  context.AddLaw(std::move(law));
  context.SetAxes(0, context.axes(0));
}

constexpr NamedRule kRules[] = {
    {"BatchNormalization", BatchNorm},
    {"InstanceNormalization", InstanceNorm},
    {"LayerNormalization", LayerNorm},
    {"GroupNormalization", GroupNorm},
    {"MeanVarianceNormalization", MeanVariance},
    {"LpNormalization", AlongAxis},
    {"Softmax", AlongAxis},
    {"LogSoftmax", AlongAxis},
    {"Hardmax", Hardmax},
    {"LRN", LocalResponse},
};

}  // namespace

std::span<const NamedRule> NormalizationRules() { return kRules; }

}  // namespace rebasin
