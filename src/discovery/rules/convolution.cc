// A convolution is a matrix product over channels, at each place of the window.
// Pooling treats each channel separately. The window moves over the positions
// in order, so spatial axes are fixed.
//
// With groups, a channel is (group, channel within the group): for each group
// g, out[g, o] = sum over i of W[g, o, i] in[g, i]. So groups may be permuted
// as wholes, and the channels of each group have a permutation of their own.

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

// Labels.
constexpr int kBatch = 0;
constexpr int kIn = 1;
constexpr int kOut = 2;
constexpr int kGroup = 3;
constexpr int kInputSpace = 100;
constexpr int kWindow = 200;
constexpr int kOutputSpace = 300;

void AddLabels(Labels& labels, int first, size_t rank) {
  while (labels.size() < rank) {
    labels.push_back(first + static_cast<int>(labels.size()));
  }
}

void FixFrom(RuleContext& context, size_t input, size_t first) {
  for (size_t k = first; k < context.axes(input).size(); ++k) {
    context.Fix(context.axes(input)[k]);
  }
}

std::vector<LabelledAxis> Labelled(const Axes& axes, Labels labels) {
  std::vector<LabelledAxis> result;
  for (size_t k = 0; k < axes.size(); ++k)
    result.push_back({labels[k], axes[k]});
  return result;
}

// Convolution with one group. `in_axis` and `out_axis` are axes of the weight.
void Ungrouped(RuleContext& context, size_t in_axis, size_t out_axis) {
  const size_t rank = context.shape(0).size();
  Labels x = {kBatch, kIn};
  Labels w(2);
  w[in_axis] = kIn;
  w[out_axis] = kOut;
  Labels y = {kBatch, kOut};
  AddLabels(x, kInputSpace, rank);
  AddLabels(w, kWindow, rank);
  AddLabels(y, kOutputSpace, rank);
  Labelling labelling{.inputs = {x, w, {kOut}}, .outputs = {y}};
  labelling.mixed = {kIn};
  for (const Labels& labels : {x, w}) {
    labelling.mixed.insert(labels.begin() + 2, labels.end());
    labelling.fixed.insert(labels.begin() + 2, labels.end());
  }
  context.Apply(labelling);
}

Expression Times(AtomId outer, const Expression& inner) {
  Product product = {outer};
  product.insert(product.end(), inner[0].begin(), inner[0].end());
  return {product};
}

// `join_in`: the weight's first axis holds (group, in), as in ConvTranspose.
// Otherwise it holds (group, out).
void Grouped(RuleContext& context, int64_t groups, bool join_in) {
  const int64_t ins = context.shape(0)[1] / groups;
  const int64_t outs = context.output_shape(0)[1] / groups;
  const AtomId group = context.FreeSlot(0, groups);
  const Expression in =
      ins == 1 ? Expression{{}} : Expression{{context.FreeSlot(1, ins, group)}};
  const Expression out = outs == 1
                             ? Expression{{}}
                             : Expression{{context.FreeSlot(2, outs, group)}};
  const Axes& w = context.axes(1);
  context.Unify(context.axes(0)[1], Times(group, in));
  context.Unify(w[0], Times(group, join_in ? in : out));
  context.Unify(w[1], join_in ? out : in);
  if (context.Has(2)) context.Unify(context.axes(2)[0], Times(group, out));
  FixFrom(context, 0, 2);
  FixFrom(context, 1, 2);

  Axes y = {context.axes(0)[0], Times(group, out)};
  for (size_t k = 2; k < context.output_shape(0).size(); ++k) {
    y.push_back(context.FixedAxis(10 + static_cast<int>(k),
                                  context.output_shape(0)[k]));
  }
  const Expression group_axis = {{group}};
  Axes x_split = context.axes(0);
  x_split.erase(x_split.begin() + 1);
  x_split.insert(x_split.begin() + 1, {group_axis, in});
  Axes w_split = {group_axis, out, in};
  Axes y_split = {y[0], group_axis, out};
  Labels x_labels = {kBatch, kGroup, kIn};
  AddLabels(x_labels, kInputSpace, x_split.size());
  std::set<int> mixed = {kIn};
  mixed.insert(x_labels.begin() + 3, x_labels.end());
  context.AddLaw(
      {{Labelled(x_split, x_labels), Labelled(w_split, {kGroup, kOut, kIn}),
        Labelled(y_split, {kBatch, kGroup, kOut})},
       mixed});
  context.SetAxes(0, std::move(y));
}

void Conv(RuleContext& context) {
  const int64_t groups = context.op().Int("group", 1);
  if (groups == 1) return Ungrouped(context, 1, 0);
  Grouped(context, groups, false);
}

void ConvTranspose(RuleContext& context) {
  const int64_t groups = context.op().Int("group", 1);
  if (groups == 1) return Ungrouped(context, 0, 1);
  Grouped(context, groups, true);
}

void Pool(RuleContext& context) {
  const size_t rank = context.shape(0).size();
  Labels x = {kBatch, kOut};
  Labels y = {kBatch, kOut};
  AddLabels(x, kInputSpace, rank);
  AddLabels(y, kOutputSpace, rank);
  const std::set<int> space(x.begin() + 2, x.end());
  std::set<int> fixed = space;
  // The places of the largest elements are counted over the whole tensor, so
  // they depend on where a channel is.
  if (context.outputs() > 1 && context.output(1) != nullptr) {
    fixed.insert({kBatch, kOut});
  }
  context.Apply(
      {.inputs = {x}, .outputs = {y, y}, .mixed = space, .fixed = fixed});
}

// All positions are treated alike, so none is fixed.
void GlobalPool(RuleContext& context) {
  const Labels x = InOrder(context.op().rank(0));
  Labels y(x.size(), kNoLabel);
  y[0] = 0;
  y[1] = 1;
  context.Apply({.inputs = {x},
                 .outputs = {y},
                 .mixed = std::set<int>(x.begin() + 2, x.end())});
}

constexpr NamedRule kRules[] = {
    {"Conv", Conv},
    {"ConvTranspose", ConvTranspose},
    {"MaxPool", Pool},
    {"AveragePool", Pool},
    {"LpPool", Pool},
    {"GlobalAveragePool", GlobalPool},
    {"GlobalMaxPool", GlobalPool},
    {"GlobalLpPool", GlobalPool},
};

}  // namespace

std::span<const NamedRule> ConvolutionRules() { return kRules; }

}  // namespace rebasin
