// Parts of axes, taken and joined.

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

// If something on another axis lies within the fixed factor that leads this
// axis, and [begin, end) is one index of that factor: the axes at that index.
bool TakeInstance(RuleContext& context, Axes& axes, size_t axis, int64_t begin,
                  int64_t end) {
  AxisAlgebra& algebra = context.algebra();
  const Expression whole = algebra.Resolve(axes[axis]);
  if (whole.size() != 1 || whole[0].empty()) return false;
  const AtomId outer = whole[0][0];
  const Product rest(whole[0].begin() + 1, whole[0].end());
  const int64_t step = algebra.SizeOf(rest);
  if (!algebra.IsFixed(outer) || begin % step != 0 || end - begin != step) {
    return false;
  }
  const int64_t index = begin / step;
  axes[axis] = {rest};
  for (Expression& each : axes) each = algebra.Instance(each, outer, index);
  return true;
}

// The axes where only [begin, end) of one of them is left. A border that is
// not one already becomes one.
Axes TakeRange(RuleContext& context, Axes axes, size_t axis, int64_t begin,
               int64_t end) {
  AxisAlgebra& algebra = context.algebra();
  const int64_t size = algebra.SizeOf(axes[axis]);
  if (begin == 0 && end == size) return axes;
  if (TakeInstance(context, axes, axis, begin, end)) return axes;
  for (int64_t border : {begin, end}) {
    if (border > 0 && border < size) {
      algebra.SplitAt(axes[axis], border, context.cause());
    }
  }
  if (TakeInstance(context, axes, axis, begin, end)) return axes;
  axes[axis] = algebra.Part(axes[axis], begin, end);
  return axes;
}

// The range; where it is the index of one of several branches that may change
// places, the axis is not cut.
Axes TakeIndex(RuleContext& context, Axes axes, size_t axis, int64_t begin,
               int64_t end) {
  const auto branches = context.branches();
  if (!branches) return TakeRange(context, std::move(axes), axis, begin, end);
  context.Unify(axes[axis], *branches);
  context.Read(axes[axis]);
  axes[axis] = {{}};
  return axes;
}

// An axis cut at borders that other sizes of the inputs would move.
Expression CutSomewhere(RuleContext& context, const Expression& axis, int slot,
                        int64_t size) {
  context.FixForAllSizes(axis);
  return context.FixedAxis(slot, size);
}

// All axes but one pass on whole.
void NoteOthers(RuleContext& context, size_t input, size_t output,
                size_t except) {
  for (size_t k = 0; k < context.shape(input).size(); ++k) {
    if (k != except) context.NoteWhole(input, k, output, k);
  }
}

bool HasMovingBorders(const RuleContext& context, size_t axis) {
  bool moving = context.AxisVaries(0, axis);
  for (size_t o = 0; o < context.outputs(); ++o) {
    moving |= context.Has(1) && context.ElementVaries(1, o);
  }
  return moving;
}

void Split(RuleContext& context) {
  const OpContext& op = context.op();
  const size_t axis = op.NormalAxis(op.Int("axis", 0), op.rank(0));
  const bool moving = HasMovingBorders(context, axis);
  int64_t begin = 0;
  for (size_t o = 0; o < context.outputs(); ++o) {
    if (context.output(o) == nullptr) return context.FixAll();
    const int64_t end = begin + context.output_shape(o)[axis];
    Axes part = context.axes(0);
    if (moving) {
      part[axis] =
          CutSomewhere(context, part[axis], static_cast<int>(o), end - begin);
    } else {
      part = TakeIndex(context, part, axis, begin, end);
    }
    context.SetAxes(o, std::move(part));
    NoteOthers(context, 0, o, axis);
    context.Note({.input_axis = axis,
                  .input_begin = begin,
                  .output = o,
                  .output_axis = axis,
                  .size = end - begin});
    begin = end;
  }
}

// Whether a Slice with steps would take others at other sizes.
bool HasMovingSteps(const RuleContext& context, size_t i, size_t axis) {
  bool moving = context.AxisVaries(0, axis);
  for (size_t input : {1, 2, 4}) moving |= context.ElementVaries(input, i);
  return moving;
}

// Every index that has the same remainder: x[::2] and x[1::2] of pairs, which
// move as pairs.
Expression TakeEvery(RuleContext& context, const Expression& axis,
                     size_t number, int64_t step, int64_t length) {
  const int slot = 1000 + 2 * static_cast<int>(number);
  const int64_t size = context.algebra().SizeOf(axis);
  if (step < 2 || step * length != size || length == 1) {
    context.Fix(axis);
    return context.FixedAxis(slot, length);
  }
  const AtomId kept = context.FreeSlot(slot, length);
  const Expression remainder = context.FixedAxis(slot + 1, step);
  context.Unify(axis, {{kept, remainder[0][0]}});
  return {{kept}};
}

// Whether the borders of a Slice would lie elsewhere at other sizes: they are
// computed from sizes, or the axis is as long as such a size and not taken as a
// whole.
bool IsCutBySize(const RuleContext& context, size_t i, size_t axis,
                 int64_t start, int64_t end) {
  constexpr int64_t kToTheEnd = std::numeric_limits<int32_t>::max();
  for (size_t input : {1, 2}) {
    if (context.ElementVaries(input, i)) return true;
  }
  const bool whole = start == 0 && end >= kToTheEnd;
  return context.AxisVaries(0, axis) && !whole;
}

// What a Slice takes of one axis; `index` counts the axes that it names.
struct Cut {
  size_t index = 0, axis = 0;
  int64_t start = 0, end = 0, step = 1;
};

// All cuts of a Slice. Nothing if one of its inputs is not known.
std::optional<std::vector<Cut>> CutsOf(const OpContext& op) {
  const auto starts = op.Ints(size_t{1});
  const auto ends = op.Ints(size_t{2});
  std::vector<int64_t> leading(starts ? starts->size() : 0);
  std::iota(leading.begin(), leading.end(), 0);
  const auto axes = op.Has(3) ? op.Ints(size_t{3}) : leading;
  const auto steps =
      op.Has(4) ? op.Ints(size_t{4}) : std::vector<int64_t>(leading.size(), 1);
  if (!starts || !ends || !axes || !steps) return std::nullopt;
  std::vector<Cut> cuts;
  for (size_t i = 0; i < starts->size(); ++i) {
    const int64_t axis = op.NormalAxis((*axes)[i], op.rank(0));
    cuts.push_back(
        {i, static_cast<size_t>(axis), (*starts)[i], (*ends)[i], (*steps)[i]});
  }
  return cuts;
}

// Applies a cut to the axes. Returns where the strip that is left begins, as
// the operator clamps it. Nothing if it is no strip.
std::optional<int64_t> Apply(RuleContext& context, const Cut& cut,
                             Axes& result) {
  const int64_t size = context.shape(0)[cut.axis];
  const int64_t length = context.output_shape(0)[cut.axis];
  if (cut.step != 1 && length == size && size == 1) return 0;
  Expression& axis = result[cut.axis];
  if (cut.step != 1 && !HasMovingSteps(context, cut.index, cut.axis)) {
    axis = TakeEvery(context, axis, cut.axis, cut.step, length);
    return std::nullopt;
  }
  if (cut.step != 1 ||
      IsCutBySize(context, cut.index, cut.axis, cut.start, cut.end)) {
    axis = CutSomewhere(context, axis, static_cast<int>(cut.axis), length);
    return std::nullopt;
  }
  const int64_t start = cut.start < 0 ? cut.start + size : cut.start;
  const int64_t begin = std::clamp<int64_t>(start, 0, size);
  result = TakeIndex(context, result, cut.axis, begin, begin + length);
  return begin;
}

void Slice(RuleContext& context) {
  const auto cuts = CutsOf(context.op());
  if (!cuts) return context.FixAll();
  Axes result = context.axes(0);
  std::vector<std::optional<int64_t>> begins(result.size(), 0);
  for (const Cut& cut : *cuts) {
    begins[cut.axis] = Apply(context, cut, result);
  }
  // Every second number is no strip; where such units are free, no strip is
  // noted at all.
  bool strips = true;
  for (size_t k = 0; k < result.size(); ++k) {
    strips &= begins[k].has_value() ||
              context.algebra().IsFixed(context.algebra().Resolve(result[k]));
  }
  for (size_t k = 0; k < result.size() && strips; ++k) {
    if (!begins[k]) continue;
    context.Note({.input_axis = k,
                  .input_begin = *begins[k],
                  .output_axis = k,
                  .size = context.output_shape(0)[k]});
  }
  context.SetAxes(0, std::move(result));
}

// Chooses along an axis of the data by the positions of the second input, the
// first `rank` axes of which take its place. False: the axis is fixed.
bool ChooseByPositions(RuleContext& context, size_t axis, size_t rank) {
  const Expression& among = context.axes(0)[axis];
  TieToPositions(context, among, context.TakePositions(1));
  AxisAlgebra& algebra = context.algebra();
  if (algebra.IsFixed(algebra.Resolve(among))) return false;
  Choice choice{.among = among, .by = context.op().node().inputs[1]};
  for (size_t k = 0; k < rank; ++k) {
    if (context.shape(1)[k] > 1) choice.axes.insert(axis + k);
  }
  context.Choose(0, std::move(choice));
  return true;
}

// One index that is known is a part of the axis. Positions along an axis select
// from it in any order; other numbers fix it.
void Gather(RuleContext& context) {
  const OpContext& op = context.op();
  const size_t axis = op.NormalAxis(op.Int("axis", 0), op.rank(0));
  const auto indices = op.Ints(size_t{1});
  Axes data = context.axes(0);
  const Axes& where = context.axes(1);
  const bool moving =
      context.AxisVaries(0, axis) || context.ElementVaries(1, 0);
  bool chosen = false;  // from free units, which have no strip
  if (indices && indices->size() == 1 && moving) {
    context.FixForAllSizes(data[axis]);
  } else if (indices && indices->size() == 1) {
    const int64_t size = context.shape(0)[axis];
    const int64_t index =
        (*indices)[0] < 0 ? (*indices)[0] + size : (*indices)[0];
    data = TakeIndex(context, data, axis, index, index + 1);
  } else {
    chosen = ChooseByPositions(context, axis, where.size());
  }
  Axes result(data.begin(), data.begin() + axis);
  result.insert(result.end(), where.begin(), where.end());
  result.insert(result.end(), data.begin() + axis + 1, data.end());
  for (size_t k = 0; k < data.size() && !chosen; ++k) {
    const size_t shift = k < axis ? 0 : where.size() - 1;
    if (k != axis) context.NoteWhole(0, k, 0, k + shift);
  }
  context.SetAxes(0, std::move(result));
}

// Whole rows of the first axis, by positions that have one more axis, of size
// 1; other kinds have no rule.
void GatherNd(RuleContext& context) {
  const OpContext& op = context.op();
  if (op.Int("batch_dims", 0) != 0 || context.shape(1).back() != 1) {
    return context.FixAll();
  }
  Axes result = context.axes(1);
  result.pop_back();
  ChooseByPositions(context, 0, result.size());
  const Axes& data = context.axes(0);
  result.insert(result.end(), data.begin() + 1, data.end());
  context.SetAxes(0, std::move(result));
}

// Stacking along an axis of size 1: what may differ from input to input lies
// within the new, fixed axis.
Axes Stack(RuleContext& context, size_t axis) {
  AxisAlgebra& algebra = context.algebra();
  const Shape& shape = context.output_shape(0);
  Axes result = context.axes(0);
  const Expression stacked = context.FixedAxis(0, shape[axis]);
  result[axis] = stacked;
  for (size_t k = 0; k < shape.size(); ++k) {
    if (k == axis || shape[k] == 1) continue;
    const Expression first = algebra.Resolve(context.axes(0)[k]);
    bool same = true;
    for (size_t i = 1; i < context.inputs(); ++i) {
      const Expression other = algebra.Resolve(context.axes(i)[k]);
      same &=
          other == first || (algebra.IsFixed(other) && algebra.IsFixed(first));
    }
    if (same) continue;
    const AtomId family =
        context.FreeSlot(1 + static_cast<int>(k), shape[k], stacked[0][0]);
    result[k] = {{family}};
    const AtomId outer = algebra.Resolve(stacked)[0][0];
    for (size_t i = 0; i < context.inputs(); ++i) {
      context.Unify(algebra.Instance(result[k], outer, i), context.axes(i)[k]);
    }
  }
  return result;
}

// Sums longer than this are given up: a file could double one again and again.
constexpr size_t kMostParts = 4096;

// The axis becomes a sum; the others are tied.
void Concat(RuleContext& context) {
  const OpContext& op = context.op();
  const size_t axis = op.NormalAxis(op.Int("axis", 0), op.rank(0));
  bool stack = context.inputs() > 1;
  for (size_t i = 0; i < context.inputs(); ++i) {
    stack &= context.shape(i)[axis] == 1;
  }
  int64_t begin = 0;
  for (size_t i = 0; i < context.inputs(); ++i) {
    NoteOthers(context, i, 0, axis);
    const int64_t size = context.shape(i)[axis];
    context.Note({.input = i,
                  .input_axis = axis,
                  .output_axis = axis,
                  .output_begin = begin,
                  .size = size});
    begin += size;
  }
  const auto branches = context.branches();
  if (stack && !branches) return context.SetAxes(0, Stack(context, axis));
  Axes result = context.axes(0);
  for (size_t i = 1; i < context.inputs(); ++i) {
    const Axes& next = context.axes(i);
    for (size_t k = 0; k < next.size(); ++k) {
      if (k == axis) {
        result[k].insert(result[k].end(), next[k].begin(), next[k].end());
      } else {
        context.Unify(result[k], next[k]);
      }
    }
    if (result[axis].size() > kMostParts) return context.FixAll();
  }
  if (branches) result[axis] = *branches;
  context.SetAxes(0, std::move(result));
}

constexpr NamedRule kRules[] = {
    {"Split", Split},       {"Slice", Slice},   {"Gather", Gather},
    {"GatherND", GatherNd}, {"Concat", Concat},
};

}  // namespace

std::span<const NamedRule> SelectionRules() { return kRules; }

}  // namespace rebasin
