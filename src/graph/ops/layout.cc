// Operators that reorder or repeat elements.

#include <algorithm>
#include <numeric>

#include "graph/ops/axes.h"
#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/rows.h"

namespace rebasin {

std::vector<int64_t> Permutation(const OpContext& context) {
  std::vector<int64_t> reversed(context.rank(0));
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  auto permutation = context.Ints("perm", std::move(reversed));
  if (static_cast<int64_t>(permutation.size()) != context.rank(0)) {
    throw context.Bad("perm does not fit rank " +
                      std::to_string(context.rank(0)));
  }
  return NormalAxes(context, std::move(permutation), context.rank(0));
}

namespace {

std::vector<int64_t> Permuted(const std::vector<int64_t>& items,
                              std::span<const int64_t> permutation) {
  std::vector<int64_t> result;
  for (int64_t from : permutation) result.push_back(items[from]);
  return result;
}

std::vector<ValueType> InferTranspose(const OpContext& context) {
  return {KnownType(context.type(0).kind,
                    Permuted(context.shape(0), Permutation(context)))};
}

std::vector<double> Transposed(const Array& array, const Shape& shape,
                               std::span<const int64_t> permutation) {
  const auto strides = Permuted(Strides(shape), permutation);
  return Pick(array.values(),
              StridedOffsets(Permuted(shape, permutation), strides));
}

std::vector<Array> EvaluateTranspose(const OpContext& context,
                                     std::span<const ValueType> types) {
  return SingleOutput(types[0], Transposed(*context.array(0), context.shape(0),
                                           Permutation(context)));
}

std::vector<ValueType> InferTile(const OpContext& context) {
  context.type(1);
  const auto repeats = context.Ints(1);
  if (!repeats) return {ValueType{}};
  Shape shape = context.shape(0);
  if (repeats->size() != shape.size()) {
    throw context.Bad("repeats do not fit " + ShapeText(shape));
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    shape[axis] = Times(context, shape[axis], (*repeats)[axis]);
  }
  return {KnownType(context.type(0).kind, std::move(shape))};
}

std::vector<Array> EvaluateTile(const OpContext& context,
                                std::span<const ValueType> types) {
  const Shape& shape = context.shape(0);
  const auto strides = Strides(shape);
  std::vector<std::vector<int64_t>> lists(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    for (int64_t i = 0; i < types[0].shape[axis]; ++i) {
      lists[axis].push_back(i % shape[axis] * strides[axis]);
    }
  }
  return SingleOutput(types[0],
                      Pick(context.array(0)->values(), ListedOffsets(lists)));
}

int64_t BlockSize(const OpContext& context) {
  if (context.rank(0) != 4) throw context.Bad("the rank of its input is not 4");
  const int64_t block = context.Int("blocksize", 0);
  if (block < 1 || block > (int64_t{1} << 20)) {
    throw context.Bad("blocksize " + std::to_string(block) +
                      " is out of range");
  }
  return block;
}

int64_t Divided(const OpContext& context, int64_t size, int64_t parts) {
  if (size % parts != 0) {
    throw context.Bad(std::to_string(size) + " is not a multiple of " +
                      std::to_string(parts));
  }
  return size / parts;
}

std::vector<ValueType> InferDepthToSpace(const OpContext& context) {
  const int64_t block = BlockSize(context);
  const Shape& from = context.shape(0);
  return {KnownType(
      context.type(0).kind,
      {from[0], Divided(context, from[1], block * block),
       Times(context, from[2], block), Times(context, from[3], block)})};
}

std::vector<Array> EvaluateDepthToSpace(const OpContext& context,
                                        std::span<const ValueType> types) {
  const Shape& from = context.shape(0);
  const int64_t block = BlockSize(context);
  const int64_t depth = types[0].shape[1];
  std::vector<double> values =
      context.String("mode", "DCR") == "CRD"
          ? Transposed(*context.array(0),
                       {from[0], depth, block, block, from[2], from[3]},
                       std::vector<int64_t>{0, 1, 4, 2, 5, 3})
          : Transposed(*context.array(0),
                       {from[0], block, block, depth, from[2], from[3]},
                       std::vector<int64_t>{0, 3, 4, 1, 5, 2});
  return SingleOutput(types[0], std::move(values));
}

std::vector<ValueType> InferSpaceToDepth(const OpContext& context) {
  const int64_t block = BlockSize(context);
  const Shape& from = context.shape(0);
  return {KnownType(
      context.type(0).kind,
      {from[0], Times(context, from[1], block * block),
       Divided(context, from[2], block), Divided(context, from[3], block)})};
}

std::vector<Array> EvaluateSpaceToDepth(const OpContext& context,
                                        std::span<const ValueType> types) {
  const Shape& from = context.shape(0);
  const Shape& to = types[0].shape;
  const int64_t block = BlockSize(context);
  return SingleOutput(types[0],
                      Transposed(*context.array(0),
                                 {from[0], from[1], to[2], block, to[3], block},
                                 std::vector<int64_t>{0, 3, 5, 1, 2, 4}));
}

// If the input is a weight, it usually enters a matrix product that sums over
// its last axis. Nothing better is known here.
constexpr OperatorInput kTransposed[] = {
    {.role = InputRole::kData, .first_summed = -1, .last_summed = -1}};

constexpr AttributeDefault kDepthDefaults[] = {{"mode", "DCR"}};

constexpr Facts kRearranges =
    With(kUsual, kDataAndSettings, DegreeLaw::kRearranged);

constexpr Operator kOperators[] = {
    {"Transpose", 1, InferTranspose, EvaluateTranspose,
     With(kUsual, kTransposed, DegreeLaw::kMoved, View::kTransposed,
          Kept{.weights = true,
               .indices = true,
               .positions = true,
               .chosen_units = true},
          SizeMarks::kMoved, ZeroLaw::kAsInput)},
    {"Tile", 3, InferTile, EvaluateTile,
     With(kRearranges, Kept{.indices = true, .positions = true},
          SizeMarks::kMoved, WrittenSizes::kRepeats)},
    {"DepthToSpace", 1, InferDepthToSpace, EvaluateDepthToSpace,
     With(kRearranges, kDepthDefaults)},
    {"SpaceToDepth", 1, InferSpaceToDepth, EvaluateSpaceToDepth, kRearranges},
};

}  // namespace

std::span<const Operator> LayoutOperators() { return kOperators; }

}  // namespace rebasin
