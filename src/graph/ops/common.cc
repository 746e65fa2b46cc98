#include "graph/ops/common.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/checked.h"

namespace rebasin {
namespace {

int64_t Checked(const OpContext& context, std::optional<int64_t> size) {
  if (!size) throw context.Bad("its sizes are too large");
  return *size;
}

// The product of sizes next to a zero may overflow. Such an array has no
// elements to iterate over, so any value will do.
int64_t ProductOrZero(std::span<const int64_t> sizes) {
  return CheckedProduct(sizes).value_or(0);
}

}  // namespace

int64_t Plus(const OpContext& context, int64_t a, int64_t b) {
  return Checked(context, CheckedAdd(a, b));
}

int64_t Times(const OpContext& context, int64_t a, int64_t b) {
  return Checked(context, CheckedMul(a, b));
}

int64_t Product(const OpContext& context, std::span<const int64_t> sizes) {
  return Checked(context, CheckedProduct(sizes));
}

int64_t Count(std::span<const int64_t> shape) { return ProductOrZero(shape); }

double Elements(const Shape& shape) {
  double elements = 1;
  for (int64_t size : shape) elements *= static_cast<double>(size);
  return elements;
}

double RowElements(const Shape& shape) {
  return shape.empty() ? 1 : Elements({shape.begin() + 1, shape.end()});
}

AxisView ViewAxis(const Shape& shape, int64_t axis) {
  const std::span<const int64_t> sizes(shape);
  return {.outer = ProductOrZero(sizes.first(axis)),
          .size = shape[axis],
          .inner = ProductOrZero(sizes.subspan(axis + 1))};
}

std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 0);
  if (Count(shape) == 0) return strides;
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

std::vector<int64_t> StridedOffsets(const Shape& shape,
                                    std::span<const int64_t> strides,
                                    int64_t start) {
  if (Count(shape) == 0) return {};
  std::vector<std::vector<int64_t>> lists;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    auto& list = lists.emplace_back();
    list.reserve(shape[axis]);
    for (int64_t i = 0; i < shape[axis]; ++i) list.push_back(i * strides[axis]);
  }
  std::vector<int64_t> offsets = ListedOffsets(lists);
  for (int64_t& offset : offsets) offset += start;
  return offsets;
}

std::vector<int64_t> ListedOffsets(
    std::span<const std::vector<int64_t>> lists) {
  std::vector<int64_t> offsets = {0};
  // From the innermost axis outwards: the offsets with one more axis are those
  // of the axes within it, repeated for each of its steps.
  for (size_t axis = lists.size(); axis-- > 0;) {
    if (lists[axis].size() == 1 && lists[axis][0] == 0) continue;
    std::vector<int64_t> outer;
    outer.reserve(offsets.size() * lists[axis].size());
    for (int64_t step : lists[axis]) {
      for (int64_t offset : offsets) outer.push_back(step + offset);
    }
    offsets = std::move(outer);
  }
  return offsets;
}

std::vector<double> Pick(const std::vector<double>& values,
                         std::span<const int64_t> offsets) {
  std::vector<double> picked(offsets.size());
  for (size_t i = 0; i < offsets.size(); ++i) picked[i] = values[offsets[i]];
  return picked;
}

std::vector<int64_t> NormalAxes(const OpContext& context,
                                std::vector<int64_t> axes, int64_t rank) {
  constexpr size_t kMaxAxes = 64;
  if (axes.size() > kMaxAxes) throw context.Bad("it lists more than 64 axes");
  for (int64_t& axis : axes) axis = context.NormalAxis(axis, rank);
  std::vector<int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw context.Bad("an axis occurs twice");
  }
  return axes;
}

Error Unsupported(const OpContext& context, const std::string& message) {
  return Error(ErrorCode::kUnsupported,
               "cannot run " + NodeText(context.node()) + ": " + message);
}

int64_t NormalIndex(const OpContext& context, int64_t index, int64_t size) {
  if (index < -size || index >= size) {
    throw context.Bad("index " + std::to_string(index) +
                      " is out of range for an axis of size " +
                      std::to_string(size));
  }
  return index < 0 ? index + size : index;
}

std::optional<IntegerRange> NarrowIntegers(int64_t data_type) {
  switch (data_type) {
    case 2:  // uint8
      return IntegerRange{0, 256};
    case 3:  // int8
      return IntegerRange{-128, 256};
    case 4:  // uint16
      return IntegerRange{0, 65536};
    case 5:  // int16
      return IntegerRange{-32768, 65536};
    case 21:  // uint4
      return IntegerRange{0, 16};
    case 22:  // int4
      return IntegerRange{-8, 16};
    default:
      return std::nullopt;
  }
}

Kind KindOfDataType(const OpContext& context, int64_t data_type) {
  switch (data_type) {
    case 1:   // float
    case 10:  // float16
    case 11:  // double
    case 16:  // 17 to 20: 8-bit floats
    case 17:  // and the four of eight bits
    case 18:
    case 19:
    case 20:
      return Kind::kFloat;
    case 2:  // 2 to 7: uint8, int8, uint16, int16, int32, int64
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 12:  // uint32, uint64
    case 13:
    case 21:  // uint4, int4
    case 22:
      return Kind::kInteger;
    case 9:
      return Kind::kBoolean;
    default:
      throw context.Bad("element type " + std::to_string(data_type) +
                        " is not a numeric type");
  }
}

std::vector<ValueType> InferSame(const OpContext& context) {
  return {context.type(0)};
}

}  // namespace rebasin
