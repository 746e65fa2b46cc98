// Padding: adds new or repeated elements around an array.

#include "graph/ops/pad.h"

#include <algorithm>
#include <numeric>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

// Larger padding is rejected, so that indices cannot overflow.
constexpr int64_t kLargest = int64_t{1} << 40;

}  // namespace

std::optional<std::vector<Margin>> Margins(const OpContext& context) {
  context.type(1);
  const auto pads = context.Ints(1);
  std::vector<int64_t> axes(context.rank(0));
  std::iota(axes.begin(), axes.end(), 0);
  if (context.Has(3)) {
    const auto asked = context.Ints(3);
    if (!asked) return std::nullopt;
    axes = NormalAxes(context, *asked, context.rank(0));
  }
  if (!pads) return std::nullopt;
  if (pads->size() != 2 * axes.size()) {
    throw context.Bad("its pads do not fit " + ShapeText(context.shape(0)));
  }
  std::vector<Margin> margins(context.rank(0));
  for (size_t i = 0; i < axes.size(); ++i) {
    const Margin margin = {(*pads)[i], (*pads)[axes.size() + i]};
    if (std::max(margin.before, margin.after) > kLargest ||
        std::min(margin.before, margin.after) < -kLargest) {
      throw context.Bad("its pads are too large");
    }
    margins[axes[i]] = margin;
  }
  return margins;
}

PadMode PadModeOf(const OpContext& context) {
  const std::string name = context.String("mode", "constant");
  if (name == "constant") return PadMode::kConstant;
  if (name == "reflect") return PadMode::kReflect;
  if (name == "edge") return PadMode::kEdge;
  if (name == "wrap") return PadMode::kWrap;
  throw context.Bad("mode " + Quoted(name) + " is unknown");
}

namespace {

std::vector<ValueType> InferPad(const OpContext& context) {
  const auto margins = Margins(context);
  const PadMode mode = PadModeOf(context);
  if (!margins) return {ValueType{}};
  Shape shape = context.shape(0);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const auto [before, after] = (*margins)[axis];
    const bool grows = before > 0 || after > 0;
    if (shape[axis] == 0 && grows && mode != PadMode::kConstant) {
      throw context.Bad(
          "an axis of size 0 cannot be padded by repeating elements");
    }
    shape[axis] = Plus(context, shape[axis], before + after);
    if (shape[axis] < 0) {
      throw context.Bad("its negative pads are larger than an axis");
    }
  }
  return {KnownType(context.type(0).kind, std::move(shape))};
}

// An index so negative that it remains negative after other indices are added,
// since no array in memory has that many elements.
constexpr int64_t kOutside = -(int64_t{1} << 48);

}  // namespace

int64_t PadSource(PadMode mode, int64_t index, int64_t size) {
  if (index >= 0 && index < size) return index;
  const auto wrapped = [](int64_t i, int64_t period) {
    return (i % period + period) % period;
  };
  switch (mode) {
    case PadMode::kConstant:
      return -1;
    case PadMode::kEdge:
      return std::clamp(index, int64_t{0}, size - 1);
    case PadMode::kWrap:
      return wrapped(index, size);
    case PadMode::kReflect:
      break;
  }
  // Reflects back and forth without repeating the ends.
  const int64_t period = std::max<int64_t>(2 * size - 2, 1);
  const int64_t folded = wrapped(index, period);
  return folded < size ? folded : period - folded;
}

namespace {

std::vector<Array> EvaluatePad(const OpContext& context,
                               std::span<const ValueType> types) {
  const Shape& from = context.shape(0);
  const auto margins = *Margins(context);
  const PadMode mode = PadModeOf(context);
  const auto strides = Strides(from);
  std::vector<std::vector<int64_t>> lists(from.size());
  for (size_t axis = 0; axis < from.size(); ++axis) {
    for (int64_t i = 0; i < types[0].shape[axis]; ++i) {
      const int64_t source =
          PadSource(mode, i - margins[axis].before, from[axis]);
      lists[axis].push_back(source < 0 ? kOutside : source * strides[axis]);
    }
  }
  const auto offsets = ListedOffsets(lists);
  const Array* fill = context.array(2);
  std::vector<double> values(
      offsets.size(), fill && fill->size() > 0 ? fill->values()[0] : 0.0);
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] >= 0) values[i] = context.array(0)->values()[offsets[i]];
  }
  return SingleOutput(types[0], std::move(values));
}

constexpr AttributeDefault kDefaults[] = {{"mode", "constant"}};

constexpr Operator kOperators[] = {
    {"Pad", 4, InferPad, EvaluatePad,
     With(kUsual, kDataAndSettings, DegreeLaw::kPadded, WrittenSizes::kPads,
          kDefaults)},
};

}  // namespace

std::span<const Operator> PadOperators() { return kOperators; }

}  // namespace rebasin
