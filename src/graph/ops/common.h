// Tools that most operators share: arithmetic on sizes with overflow checks,
// iteration over arrays, and construction of results.

#ifndef REBASIN_GRAPH_OPS_COMMON_H_
#define REBASIN_GRAPH_OPS_COMMON_H_

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/operator.h"

namespace rebasin {

// Arithmetic on sizes, which come from files. Throw context.Bad on overflow.
int64_t Plus(const OpContext& context, int64_t a, int64_t b);
int64_t Times(const OpContext& context, int64_t a, int64_t b);
int64_t Product(const OpContext& context, std::span<const int64_t> sizes);

// The number of elements of a shape that inference has checked.
int64_t Count(std::span<const int64_t> shape);

// The number of elements of any shape, and of one index of its first axis.
double Elements(const Shape& shape);
double RowElements(const Shape& shape);

// The integers of an ONNX element type.
struct IntegerRange {
  double lowest = 0, count = 0;
};
// Those of 4, 8 and 16 bits; nothing for types whose limits are out of reach.
std::optional<IntegerRange> NarrowIntegers(int64_t data_type);

// A shape as seen from one axis: `outer` blocks of `size` rows of `inner`
// elements.
struct AxisView {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;
};
// Requires 0 <= axis < rank.
AxisView ViewAxis(const Shape& shape, int64_t axis);

// The distance between neighbours along each axis, in elements.
std::vector<int64_t> Strides(const Shape& shape);

// For each index of `shape`, in order: start + sum of index * stride.
std::vector<int64_t> StridedOffsets(const Shape& shape,
                                    std::span<const int64_t> strides,
                                    int64_t start = 0);

// The same for uneven steps: all sums of one number from each list.
std::vector<int64_t> ListedOffsets(std::span<const std::vector<int64_t>> lists);

// values[offset] for each offset.
std::vector<double> Pick(const std::vector<double>& values,
                         std::span<const int64_t> offsets);

// The axes, counted from the front. Throws context.Bad if one is out of range
// or occurs twice.
std::vector<int64_t> NormalAxes(const OpContext& context,
                                std::vector<int64_t> axes, int64_t rank);

// Returns an Error(kUnsupported) that names the node that cannot be run.
// `message` is the reason.
Error Unsupported(const OpContext& context, const std::string& message);

// `index` counted from the front. Throws context.Bad if it is outside of
// [-size, size).
int64_t NormalIndex(const OpContext& context, int64_t index, int64_t size);

// The kind of an ONNX element type (an attribute such as Cast's `to`).
Kind KindOfDataType(const OpContext& context, int64_t data_type);

// The result of an operator with one output.
inline std::vector<Array> SingleOutput(const ValueType& type,
                                       std::vector<double> values) {
  return {MakeArray(type.kind, type.shape, std::move(values))};
}

// The smaller and the larger of two numbers. NaN if one of them is NaN, as in
// ONNX, but not in std::min and std::max.
inline double MinOrNan(double x, double y) {
  return x < y || std::isnan(x) ? x : y;
}
inline double MaxOrNan(double x, double y) {
  return x > y || std::isnan(x) ? x : y;
}

// The rule of operators whose output has the type of the first input.
std::vector<ValueType> InferSame(const OpContext& context);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_COMMON_H_
