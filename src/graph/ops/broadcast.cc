#include "graph/ops/broadcast.h"

#include "graph/ops/common.h"

namespace rebasin {

Shape BroadcastShapes(const OpContext& context, const Shape& a,
                      const Shape& b) {
  Shape result = a.size() >= b.size() ? a : b;
  const Shape& other = a.size() >= b.size() ? b : a;
  const size_t shift = result.size() - other.size();
  for (size_t i = 0; i < other.size(); ++i) {
    int64_t& size = result[shift + i];
    if (size != other[i] && size != 1 && other[i] != 1) {
      throw context.Bad("shapes " + ShapeText(a) + " and " + ShapeText(b) +
                        " do not fit each other");
    }
    if (size == 1) size = other[i];
  }
  return result;
}

Shape BroadcastInputs(const OpContext& context) {
  Shape shape = context.shape(0);
  for (size_t i = 1; i < context.inputs(); ++i) {
    shape = BroadcastShapes(context, shape, context.shape(i));
  }
  return shape;
}

std::vector<int64_t> BroadcastOffsets(const Shape& from, const Shape& to) {
  const size_t shift = to.size() - from.size();
  const std::vector<int64_t> strides = Strides(from);
  std::vector<int64_t> steps(to.size(), 0);
  for (size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] != 1) steps[shift + axis] = strides[axis];
  }
  return StridedOffsets(to, steps);
}

std::vector<double> BroadcastValues(const Array& from, const Shape& to) {
  if (from.shape == to) return from.values();
  return Pick(from.values(), BroadcastOffsets(from.shape, to));
}

}  // namespace rebasin
