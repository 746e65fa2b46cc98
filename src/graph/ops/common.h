// Small tools that most families of operators share: sizes that cannot
// overflow, walks over arrays, and results.

#ifndef REBASIN_GRAPH_OPS_COMMON_H_
#define REBASIN_GRAPH_OPS_COMMON_H_

#include <cmath>
#include <cstdint>
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

// The same of any shape; and of what lies behind its first axis.
double Elements(const Shape& shape);
double RowElements(const Shape& shape);

// A shape seen from one axis: `outer` blocks of `size` rows of `inner`
// elements.
struct AxisView {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;
};
// Requires 0 <= axis < rank.
AxisView ViewAxis(const Shape& shape, int64_t axis);

// The distance between neighbours along each axis.
std::vector<int64_t> Strides(const Shape& shape);

// For each index of `shape`, in order: start + sum of index * stride.
std::vector<int64_t> StridedOffsets(const Shape& shape,
                                    std::span<const int64_t> strides,
                                    int64_t start = 0);

// The same for steps that are not even: the sums of one number of each list.
std::vector<int64_t> ListedOffsets(std::span<const std::vector<int64_t>> lists);

std::vector<double> Pick(const std::vector<double>& values,
                         std::span<const int64_t> offsets);

// The axes, counted from the front. Throws context.Bad if one is out of range
// or there twice.
std::vector<int64_t> NormalAxes(const OpContext& context,
                                std::vector<int64_t> axes, int64_t rank);

// An Error(kUnsupported) that says which node cannot be run; `message` is a
// sentence that says why.
Error Unsupported(const OpContext& context, const std::string& message);

// `index` counted from the front. Throws context.Bad if it is not in
// [-size, size).
int64_t NormalIndex(const OpContext& context, int64_t index, int64_t size);

// What an ONNX element type (an attribute such as Cast's `to`) stands for.
Kind KindOfDataType(const OpContext& context, int64_t data_type);

inline std::vector<Array> One(const ValueType& type,
                              std::vector<double> values) {
  return {MakeArray(type.kind, type.shape, std::move(values))};
}

// The smaller and the larger of two numbers; NaN if one of them is, as ONNX's
// operators have it and std::min and std::max do not.
inline double Least(double x, double y) {
  return x < y || std::isnan(x) ? x : y;
}
inline double Most(double x, double y) {
  return x > y || std::isnan(x) ? x : y;
}

std::vector<ValueType> InferSame(const OpContext& context);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_COMMON_H_
