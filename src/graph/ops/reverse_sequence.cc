// Reverses the first steps of each sequence, up to its length; later steps
// stay. Exporters write the backward direction of a recurrent layer in this
// way.

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

// ONNX permits the first two axes in either order.
struct SequenceAxes {
  int64_t time, batch;
};

SequenceAxes AxesOf(const OpContext& context) {
  const SequenceAxes axes{context.Int("time_axis", 0),
                          context.Int("batch_axis", 1)};
  const bool first_two = (axes.time == 0 && axes.batch == 1) ||
                         (axes.time == 1 && axes.batch == 0);
  if (!first_two) {
    throw context.Bad("its time and batch axes are not the first two");
  }
  return axes;
}

std::vector<ValueType> InferReverse(const OpContext& context) {
  const SequenceAxes axes = AxesOf(context);
  if (context.rank(0) < 2) {
    throw context.Bad("its input has no time and batch axes");
  }
  const Shape expected = {context.shape(0)[axes.batch]};
  if (context.shape(1) != expected) {
    throw context.Bad("lengths " + ShapeText(context.shape(1)) + " should be " +
                      ShapeText(expected));
  }
  return {context.type(0)};
}

// The step from which the output's step is taken.
int64_t Source(int64_t step, int64_t length) {
  return step < length ? length - 1 - step : step;
}

std::vector<int64_t> CheckedLengths(const OpContext& context, int64_t steps) {
  std::vector<int64_t> lengths = *context.Ints(1);
  for (int64_t length : lengths) {
    if (length >= 0 && length <= steps) continue;
    throw context.Bad("sequence length " + std::to_string(length) +
                      " is out of range for " + std::to_string(steps) +
                      " steps");
  }
  return lengths;
}

std::vector<Array> EvaluateReverse(const OpContext& context,
                                   std::span<const ValueType> types) {
  const SequenceAxes axes = AxesOf(context);
  const Shape& shape = context.shape(0);
  const auto lengths = CheckedLengths(context, shape[axes.time]);
  const std::vector<double>& from = context.array(0)->values();
  const int64_t inner = ViewAxis(shape, 1).inner;
  std::vector<double> values;
  values.reserve(from.size());
  for (int64_t i = 0; i < shape[0]; ++i) {
    for (int64_t j = 0; j < shape[1]; ++j) {
      int64_t at[] = {i, j};
      at[axes.time] = Source(at[axes.time], lengths[at[axes.batch]]);
      const auto row = from.begin() + (at[0] * shape[1] + at[1]) * inner;
      values.insert(values.end(), row, row + inner);
    }
  }
  return SingleOutput(types[0], std::move(values));
}

constexpr OperatorInput kInputs[] = {
    kData, {.role = InputRole::kLengths, .limit = IndexLimit::kSteps}};

constexpr AttributeDefault kDefaults[] = {{"time_axis", 0}, {"batch_axis", 1}};

constexpr Operator kOperators[] = {
    {"ReverseSequence", 2, InferReverse, EvaluateReverse,
     With(kUsual, kInputs, DegreeLaw::kRearranged,
          Kept{.weights = true, .indices = true}, SizeMarks::kMoved,
          ZeroLaw::kAsInput, kDefaults)},
};

}  // namespace

std::span<const Operator> ReverseSequenceOperators() { return kOperators; }

}  // namespace rebasin
