// Reductions: combine the elements along some axes to one number. Global
// pooling is one of them.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "graph/ops/axes.h"
#include "graph/ops/broadcast.h"
#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {

std::optional<std::vector<int64_t>> ReduceAxes(const OpContext& context) {
  std::vector<int64_t> axes;
  if (context.Has(1)) {
    const auto asked = context.Ints(1);
    if (!asked) return std::nullopt;
    axes = NormalAxes(context, *asked, context.rank(0));
  }
  if (!axes.empty() || context.Int("noop_with_empty_axes", 0) != 0) return axes;
  axes.resize(context.rank(0));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

std::vector<int64_t> SpatialAxes(const OpContext& context) {
  if (context.rank(0) < 3) throw context.Bad("its input is not an image");
  std::vector<int64_t> axes(context.rank(0) - 2);
  std::iota(axes.begin(), axes.end(), 2);
  return axes;
}

namespace {

// The shape with size 1 for the reduced axes.
Shape KeptShape(Shape shape, const std::vector<int64_t>& axes) {
  for (int64_t axis : axes) shape[axis] = 1;
  return shape;
}

Shape DroppedShape(const Shape& shape, const std::vector<int64_t>& axes) {
  Shape result;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (std::count(axes.begin(), axes.end(), axis) == 0) {
      result.push_back(shape[axis]);
    }
  }
  return result;
}

std::vector<ValueType> InferReduce(const OpContext& context) {
  const Shape& shape = context.shape(0);
  const auto axes = ReduceAxes(context);
  if (!axes) return {ValueType{}};
  const bool keep = context.Int("keepdims", 1) != 0;
  return {KnownType(context.type(0).kind, keep ? KeptShape(shape, *axes)
                                               : DroppedShape(shape, *axes))};
}

// Policies of a reduction: the start value, how an element is added, and how
// the result is computed from the sum of `count` elements.
struct Sum {
  static constexpr double kStart = 0;
  static double Add(double sum, double x) { return sum + x; }
  static double Finish(double sum, double) { return sum; }
};
struct Mean : Sum {
  static double Finish(double sum, double count) { return sum / count; }
};
struct Largest : Sum {
  static constexpr double kStart = -std::numeric_limits<double>::infinity();
  static double Add(double sum, double x) { return MaxOrNan(sum, x); }
};
struct Smallest : Sum {
  static constexpr double kStart = std::numeric_limits<double>::infinity();
  static double Add(double sum, double x) { return MinOrNan(sum, x); }
};
struct Product : Sum {
  static constexpr double kStart = 1;
  static double Add(double sum, double x) { return sum * x; }
};
struct L1 : Sum {
  static double Add(double sum, double x) { return sum + std::fabs(x); }
};
struct SumSquare : Sum {
  static double Add(double sum, double x) { return sum + x * x; }
};
struct L2 : SumSquare {
  static double Finish(double sum, double) { return std::sqrt(sum); }
};
struct LogSum : Sum {
  static double Finish(double sum, double) { return std::log(sum); }
};

template <typename Rule>
std::vector<double> Reduce(const Array& array,
                           const std::vector<int64_t>& axes) {
  const Shape kept = KeptShape(array.shape, axes);
  const auto targets = BroadcastOffsets(kept, array.shape);
  std::vector<double> sums(Count(kept), Rule::kStart);
  for (size_t i = 0; i < targets.size(); ++i) {
    sums[targets[i]] = Rule::Add(sums[targets[i]], array.values()[i]);
  }
  const double count =
      static_cast<double>(targets.size()) / static_cast<double>(sums.size());
  for (double& sum : sums) sum = Rule::Finish(sum, count);
  return sums;
}

template <typename Rule>
std::vector<Array> EvaluateReduce(const OpContext& context,
                                  std::span<const ValueType> types) {
  return SingleOutput(types[0],
                      Reduce<Rule>(*context.array(0), *ReduceAxes(context)));
}

// Subtracts the largest element from the exponents to avoid overflow.
std::vector<Array> EvaluateLogSumExp(const OpContext& context,
                                     std::span<const ValueType> types) {
  const Array& array = *context.array(0);
  const std::vector<int64_t> axes = *ReduceAxes(context);
  std::vector<double> most = Reduce<Largest>(array, axes);
  for (double& value : most) value = std::isfinite(value) ? value : 0;
  const auto sources =
      BroadcastOffsets(KeptShape(array.shape, axes), array.shape);
  std::vector<double> powers = array.values();
  for (size_t i = 0; i < powers.size(); ++i) {
    powers[i] = std::exp(powers[i] - most[sources[i]]);
  }
  auto logs = Reduce<LogSum>(
      MakeArray(array.kind, array.shape, std::move(powers)), axes);
  for (size_t i = 0; i < logs.size(); ++i) logs[i] += most[i];
  return SingleOutput(types[0], std::move(logs));
}

std::vector<ValueType> InferGlobalPool(const OpContext& context) {
  const std::vector<int64_t> axes = SpatialAxes(context);
  return {KnownType(context.type(0).kind, KeptShape(context.shape(0), axes))};
}

template <typename Rule>
std::vector<Array> EvaluateGlobalPool(const OpContext& context,
                                      std::span<const ValueType> types) {
  return SingleOutput(types[0],
                      Reduce<Rule>(*context.array(0), SpatialAxes(context)));
}

std::vector<Array> EvaluateGlobalLpPool(const OpContext& context,
                                        std::span<const ValueType> types) {
  const double p = static_cast<double>(context.Int("p", 2));
  std::vector<double> powers = context.array(0)->values();
  for (double& value : powers) value = std::pow(std::fabs(value), p);
  auto sums =
      Reduce<Sum>(MakeArray(Kind::kFloat, context.shape(0), std::move(powers)),
                  SpatialAxes(context));
  for (double& sum : sums) sum = std::pow(sum, 1 / p);
  return SingleOutput(types[0], std::move(sums));
}

template <typename Rule, typename... Fact>
constexpr Operator Reduction(std::string_view name, const Fact&... facts) {
  return {name, 2, InferReduce, EvaluateReduce<Rule>,
          With(kUsual, kDataAndSettings, facts...)};
}

constexpr auto kNone = DegreeLaw::kNone;
constexpr auto kLinear = DegreeLaw::kLinear;
constexpr auto kHomogeneous = DegreeLaw::kHomogeneous;
constexpr auto kAbsolute = DegreeLaw::kAbsolute;

constexpr Facts kPools = With(kUsual, kOnlyData);

constexpr Operator kOperators[] = {
    Reduction<Sum>("ReduceSum", kLinear),
    Reduction<Mean>("ReduceMean", kLinear, ZeroLaw::kAsInput),
    Reduction<Largest>("ReduceMax", kHomogeneous),
    Reduction<Smallest>("ReduceMin", kHomogeneous),
    Reduction<Product>("ReduceProd", kNone),
    Reduction<L1>("ReduceL1", kAbsolute),
    Reduction<L2>("ReduceL2", kAbsolute),
    Reduction<LogSum>("ReduceLogSum", kNone),
    Reduction<SumSquare>("ReduceSumSquare", kNone),
    {"ReduceLogSumExp", 2, InferReduce, EvaluateLogSumExp,
     With(kUsual, kDataAndSettings, kNone)},
    {"GlobalAveragePool", 1, InferGlobalPool, EvaluateGlobalPool<Mean>,
     With(kPools, kLinear)},
    {"GlobalMaxPool", 1, InferGlobalPool, EvaluateGlobalPool<Largest>,
     With(kPools, kHomogeneous)},
    {"GlobalLpPool", 1, InferGlobalPool, EvaluateGlobalLpPool,
     With(kPools, kNone)},
};

}  // namespace

std::span<const Operator> ReduceOperators() { return kOperators; }

}  // namespace rebasin
