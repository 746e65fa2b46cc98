// The same numbers in the same order, with other axes: products of axes are
// factored and joined again.

#include <cassert>

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

// Slots of the atoms that axes are split into.
constexpr int kSplitSlots = 0;

// Distributes the input axes `in` over the output axes `out`, which have the
// same number of indices.
void Refactor(RuleContext& context, std::span<const Expression> in,
              std::span<const size_t> out, Axes& result) {
  const Expression whole = context.algebra().Flattened(in);
  if (out.size() == 1) {
    result[out[0]] = in.size() == 1 ? in[0] : whole;
    return;
  }
  Product parts;
  AtomId outer = kNoAtom;
  for (size_t k : out) {
    const int slot = kSplitSlots + static_cast<int>(k);
    outer = context.FreeSlot(slot, context.output_shape(0)[k], outer);
    parts.push_back(outer);
    result[k] = {{outer}};
  }
  context.Unify(whole, {parts});
}

// Splits both shapes into the smallest runs of axes with the same number of
// indices, and refactors each run. Skips axes of size 1.
void Reshape(RuleContext& context) {
  const Shape& from = context.shape(0);
  const Shape& to = context.output_shape(0);
  Axes result(to.size(), Expression{{}});
  size_t i = 0;
  size_t o = 0;
  while (i < from.size() || o < to.size()) {
    std::vector<Expression> in;
    std::vector<size_t> from_axes, out;
    int64_t in_size = 1;
    int64_t out_size = 1;
    auto take_in = [&] {
      in_size *= from[i];
      if (from[i] > 1) {
        in.push_back(context.axes(0)[i]);
        from_axes.push_back(i);
      }
      ++i;
    };
    auto take_out = [&] {
      out_size *= to[o];
      if (to[o] > 1) out.push_back(o);
      ++o;
    };
    if (i < from.size()) take_in();
    while (in_size != out_size) {
      if (in_size < out_size) {
        take_in();
      } else {
        take_out();
      }
    }
    if (in_size == 1) {
      if (o < to.size() && to[o] == 1) take_out();
      continue;
    }
    Refactor(context, in, out, result);
    for (size_t axis : from_axes) {
      for (size_t k : out) context.CarryChoices(0, axis, 0, k);
    }
  }
  context.SetAxes(0, std::move(result));
}

void Transpose(RuleContext& context) {
  const int64_t rank = context.op().rank(0);
  std::vector<int64_t> order(rank);
  for (int64_t k = 0; k < rank; ++k) order[k] = rank - 1 - k;
  order = context.op().Ints("perm", order);
  Axes result;
  for (int64_t k : order) {
    context.ReportWholeAxis(0, static_cast<size_t>(k), 0, result.size());
    result.push_back(context.axes(0)[k]);
  }
  context.SetAxes(0, std::move(result));
}

// Blocks of channels become positions, which are fixed. A channel is (block,
// channel) in DCR order and (channel, block) in CRD order; the permutation of
// the channels is the same in each block.
void DepthToSpace(RuleContext& context) {
  const int64_t channels = context.output_shape(0)[1];
  const int64_t blocks = context.shape(0)[1] / channels;
  const bool blocks_first = context.op().String("mode", "DCR") == "DCR";
  const Expression block = context.FixedAxis(0, blocks);
  const Expression channel = context.FreeAxis(1, channels);
  std::vector<Expression> parts = {block, channel};
  if (!blocks_first) std::swap(parts[0], parts[1]);
  context.Unify(context.axes(0)[1], context.algebra().Flattened(parts));
  context.Fix(context.axes(0)[2]);
  context.Fix(context.axes(0)[3]);
  context.SetAxes(0, {context.axes(0)[0], channel,
                      context.FixedAxis(2, context.output_shape(0)[2]),
                      context.FixedAxis(3, context.output_shape(0)[3])});
}

void SpaceToDepth(RuleContext& context) {
  const int64_t blocks = context.output_shape(0)[1] / context.shape(0)[1];
  context.Fix(context.axes(0)[2]);
  context.Fix(context.axes(0)[3]);
  const std::vector<Expression> parts = {context.FixedAxis(0, blocks),
                                         context.axes(0)[1]};
  context.SetAxes(0, {context.axes(0)[0], context.algebra().Flattened(parts),
                      context.FixedAxis(2, context.output_shape(0)[2]),
                      context.FixedAxis(3, context.output_shape(0)[3])});
}

constexpr NamedRule kRules[] = {
    {"Reshape", Reshape},           {"Flatten", Reshape},
    {"Squeeze", Reshape},           {"Unsqueeze", Reshape},
    {"Transpose", Transpose},       {"DepthToSpace", DepthToSpace},
    {"SpaceToDepth", SpaceToDepth},
};

}  // namespace

std::span<const NamedRule> ReshapeRules() { return kRules; }

}  // namespace rebasin
