// Operators whose result depends on the order of elements along an axis.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

// The lines of an array along one axis.
struct Lines {
  AxisView view;
  int64_t count() const { return view.outer * view.inner; }
  // The offset of element `place` of line i.
  int64_t At(int64_t i, int64_t place) const {
    return (i / view.inner * view.size + place) * view.inner + i % view.inner;
  }
};

int64_t AxisOr(const OpContext& context, int64_t otherwise) {
  return context.NormalAxis(context.Int("axis", otherwise), context.rank(0));
}

std::vector<ValueType> InferArg(const OpContext& context) {
  Shape shape = context.shape(0);
  const int64_t axis = AxisOr(context, 0);
  if (shape[axis] == 0) throw context.Bad("it has no elements to choose from");
  shape[axis] = 1;
  if (context.Int("keepdims", 1) == 0) shape.erase(shape.begin() + axis);
  return {KnownType(Kind::kInteger, std::move(shape))};
}

template <bool kMost>
std::vector<Array> EvaluateArg(const OpContext& context,
                               std::span<const ValueType> types) {
  const Lines lines{ViewAxis(context.shape(0), AxisOr(context, 0))};
  const bool last = context.Int("select_last_index", 0) != 0;
  const std::vector<double>& from = context.array(0)->values();
  std::vector<double> places;
  for (int64_t i = 0; i < lines.count(); ++i) {
    int64_t best = 0;
    for (int64_t j = 1; j < lines.view.size; ++j) {
      const double old = from[lines.At(i, best)];
      const double now = from[lines.At(i, j)];
      if ((kMost ? now > old : now < old) || (last && now == old)) best = j;
    }
    places.push_back(static_cast<double>(best));
  }
  return SingleOutput(types[0], std::move(places));
}

std::vector<ValueType> InferCumSum(const OpContext& context) {
  context.type(1);
  const auto axis = context.Ints(1);
  if (axis && axis->size() != 1) {
    throw context.Bad("its axis is not a single number");
  }
  if (axis) context.NormalAxis((*axis)[0], context.rank(0));
  return {context.type(0)};
}

std::vector<Array> EvaluateCumSum(const OpContext& context,
                                  std::span<const ValueType> types) {
  const int64_t axis =
      context.NormalAxis((*context.Ints(1))[0], context.rank(0));
  const Lines lines{ViewAxis(context.shape(0), axis)};
  const bool exclusive = context.Int("exclusive", 0) != 0;
  const bool reverse = context.Int("reverse", 0) != 0;
  std::vector<double> values = context.array(0)->values();
  for (int64_t i = 0; i < lines.count(); ++i) {
    double sum = 0;
    for (int64_t j = 0; j < lines.view.size; ++j) {
      double& value =
          values[lines.At(i, reverse ? lines.view.size - 1 - j : j)];
      const double before = sum;
      sum += value;
      value = exclusive ? before : sum;
    }
  }
  return SingleOutput(types[0], std::move(values));
}

std::vector<ValueType> InferTopK(const OpContext& context) {
  const int64_t axis = AxisOr(context, -1);
  context.type(1);
  const auto k = context.Ints(1);
  if (!k) return std::vector<ValueType>(2);
  Shape shape = context.shape(0);
  if (k->size() != 1 || (*k)[0] < 0 || (*k)[0] > shape[axis]) {
    throw context.Bad("its k is out of range for " + ShapeText(shape));
  }
  shape[axis] = (*k)[0];
  return {KnownType(context.type(0).kind, shape),
          KnownType(Kind::kInteger, shape)};
}

// Equal elements keep their order.
std::vector<Array> EvaluateTopK(const OpContext& context,
                                std::span<const ValueType> types) {
  const int64_t axis = AxisOr(context, -1);
  const Lines from{ViewAxis(context.shape(0), axis)};
  const Lines to{ViewAxis(types[0].shape, axis)};
  const bool largest = context.Int("largest", 1) != 0;
  const std::vector<double>& values = context.array(0)->values();
  std::vector<double> best(Count(types[0].shape));
  std::vector<double> places(best.size());
  std::vector<int64_t> order(from.view.size);
  for (int64_t i = 0; i < from.count(); ++i) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const double x = values[from.At(i, a)];
      const double y = values[from.At(i, b)];
      return largest ? x > y : x < y;
    });
    for (int64_t j = 0; j < to.view.size; ++j) {
      best[to.At(i, j)] = values[from.At(i, order[j])];
      places[to.At(i, j)] = static_cast<double>(order[j]);
    }
  }
  return {MakeArray(types[0].kind, types[0].shape, std::move(best)),
          MakeArray(types[1].kind, types[1].shape, std::move(places))};
}

constexpr OperatorInput kScores[] = {{.role = InputRole::kScores}, kSetting};

constexpr AttributeDefault kArgDefaults[] = {{"axis", 0}};
constexpr AttributeDefault kCumSumDefaults[] = {{"exclusive", 0},
                                                {"reverse", 0}};
constexpr AttributeDefault kTopKDefaults[] = {
    {"axis", -1}, {"largest", 1}, {"sorted", 1}};

constexpr Facts kChooses = With(kUsual, kScores, DegreeLaw::kNone);
constexpr Facts kArg =
    With(kChooses, PositionOutputs::kAll, kWithoutGradient, kArgDefaults);

constexpr Operator kOperators[] = {
    {"ArgMax", 1, InferArg, EvaluateArg<true>, kArg},
    {"ArgMin", 1, InferArg, EvaluateArg<false>, kArg},
    {"CumSum", 2, InferCumSum, EvaluateCumSum,
     With(kUsual, kDataAndSettings, DegreeLaw::kLinear, kCumSumDefaults)},
    {"TopK", 2, InferTopK, EvaluateTopK,
     With(kChooses, PositionOutputs::kAllButFirst, kTopKDefaults)},
};

}  // namespace

std::span<const Operator> OrderOperators() { return kOperators; }

}  // namespace rebasin
