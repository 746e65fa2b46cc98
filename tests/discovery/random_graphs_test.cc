// Networks that nobody would build: operators put together at random, so that
// axes are split, joined, shared and mixed in every order. Whatever symmetry is
// found must hold.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "discovery/discovered.h"
#include "graph/builder.h"
#include "rebasin/discovery.h"

namespace rebasin {
namespace {

constexpr int64_t kMostElements = 1500;
constexpr size_t kMostAxes = 5;

int64_t Elements(const Shape& shape) {
  int64_t size = 1;
  for (int64_t s : shape) size *= s;
  return size;
}

struct Kinds {
  bool varied = false;  // activations of all kinds, not only tanh
  // The second axis of the input has any length; shapes are computed from it,
  // and tables are cut to it. With grouped operators, products of a value with
  // itself and strided parts.
  bool open = false;
};

class RandomNetwork {
 public:
  explicit RandomNetwork(uint64_t seed, Kinds kinds = {})
      : random_(seed), varied_(kinds.varied), open_(kinds.open) {
    const int64_t length = open_ ? kOpenSize : 3;
    values_.push_back(
        b_.Input("x", {2, length, 4}, Kind::kFloat, {"", "length", ""}));
    values_.push_back(Dense(values_[0]));
  }

  Graph Build(int steps) {
    for (int step = 0; step < steps; ++step) Grow();
    // The last values are read out, so that most of the network matters.
    const size_t outputs = std::min<size_t>(3, values_.size());
    for (size_t o = 0; o < outputs; ++o) {
      const ValueId value = values_[values_.size() - 1 - o];
      Look();
      const bool dense = Rank(value) > 0 && !Varies(value, Rank(value) - 1);
      const ValueId read = dense ? Dense(value) : b_.Add("Tanh", {value});
      b_.Output(read, "y" + std::to_string(o));
    }
    return b_.Build();
  }

 private:
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(random_.Below(static_cast<uint64_t>(bound)));
  }
  const Shape& ShapeOf(ValueId id) { return b_.shape(id); }
  int64_t Rank(ValueId id) { return static_cast<int64_t>(ShapeOf(id).size()); }
  // Finds out which sizes follow the length of the input.
  void Look() {
    if (!open_) return;
    GraphBuilder copy = b_;
    const Graph graph = copy.Build();
    longer_ = Infer(graph, std::vector<Shape>{{2, 5, 4}});
  }
  bool Varies(ValueId x, int64_t axis) const {
    return open_ && longer_.types[x].shape[axis] != b_.shape(x)[axis];
  }
  bool SameAtAllLengths(ValueId x, ValueId y) const {
    return !open_ || longer_.types[x].shape == longer_.types[y].shape;
  }
  // Recent values more often, so that networks become deep.
  ValueId Pick() {
    const int64_t count = static_cast<int64_t>(values_.size());
    const int64_t back = std::min(Below(count), Below(count));
    return values_[static_cast<size_t>(count - 1 - back)];
  }
  std::string Name() { return "w" + std::to_string(weights_++); }

  ValueId Dense(ValueId x) {
    constexpr int64_t kWidths[] = {4, 6, 8, 12};
    const int64_t width = kWidths[Below(4)];
    return b_.Add("MatMul", {x, b_.Weight(Name(), {ShapeOf(x).back(), width})});
  }
  ValueId Ints(std::vector<int64_t> values) {
    return b_.Ints(std::move(values));
  }

  void Grow() {
    Look();
    const ValueId x = Pick();
    const ValueId y = Rank(x) == 0 ? kNoValue : Step(x);
    if (y == kNoValue) return;
    Look();
    const int64_t size = Elements(open_ ? longer_.types[y].shape : ShapeOf(y));
    if (size <= kMostElements && ShapeOf(y).size() <= kMostAxes) {
      values_.push_back(y);
    }
  }

  ValueId Step(ValueId x) {
    const bool dense = !Varies(x, Rank(x) - 1);
    switch (Below(open_ ? 25 : 18)) {
      case 0:
      case 1:
      case 2:
        return dense ? Dense(x) : kNoValue;
      case 3:
        return b_.Add(Activation(), {x});
      case 4:
        return Combine(x, Combination());
      case 5:
        return ScaleByWeight(x);
      case 6:
      case 7:
        return SplitAxis(x);
      case 8:
        return MergeAxes(x);
      case 9:
      case 10:
        return Transpose(x);
      case 11:
        return Concat(x);
      case 12:
        return Slice(x);
      case 13:
        return AlongAxis(x, "Softmax");
      case 14:
        return Reduce(x);
      case 15:
        return Attend(x);
      case 16:
        return TakeIndex(x);
      case 18:
      case 19:
        return AddTable(x);
      case 20:
        return Memory(x);
      case 21:
        return GroupedConv(x);
      case 22:
        return SelfProduct(x);
      case 23:
        return EverySecond(x);
      case 24:
        return FusedParts(x);
      default:
        return Stretch(x);
    }
  }

  const char* Activation() {
    constexpr const char* kActivations[] = {
        "Tanh", "Relu", "LeakyRelu", "Abs", "Neg", "Softsign", "Cos", "Elu"};
    return varied_ ? kActivations[Below(8)] : "Tanh";
  }
  const char* Combination() {
    constexpr const char* kCombinations[] = {"Add", "Mul", "Sub", "Max"};
    return kCombinations[Below(varied_ ? 4 : 2)];
  }

  // Another value of the same shape, if there is one.
  ValueId Twin(ValueId x) {
    std::vector<ValueId> twins;
    for (ValueId id : values_) {
      const bool alike = ShapeOf(id) == ShapeOf(x) && SameAtAllLengths(id, x);
      if (id != x && alike) twins.push_back(id);
    }
    if (twins.empty()) return kNoValue;
    return twins[static_cast<size_t>(Below(twins.size()))];
  }
  ValueId Combine(ValueId x, const char* op) {
    const ValueId twin = Twin(x);
    return twin == kNoValue ? kNoValue : b_.Add(op, {x, twin});
  }
  // A weight of the same shape, with some axes stretched.
  ValueId ScaleByWeight(ValueId x) {
    Shape shape = ShapeOf(x);
    for (int64_t k = 0; k < Rank(x); ++k) {
      if (Below(2) == 0 || Varies(x, k)) shape[k] = 1;
    }
    return b_.Add("Mul", {x, b_.Weight(Name(), shape)});
  }
  ValueId SplitAxis(ValueId x) {
    Shape shape = ShapeOf(x);
    const int64_t axis = Below(Rank(x));
    if (Varies(x, axis)) return kNoValue;
    for (int64_t factor : {2, 3}) {
      if (shape[axis] % factor != 0 || shape[axis] == factor) continue;
      const int64_t rest = shape[axis] / factor;
      const bool small_first = Below(2) == 0;
      shape[axis] = small_first ? factor : rest;
      shape.insert(shape.begin() + axis + 1, small_first ? rest : factor);
      return ReshapeAround(x, shape, axis, 1, 2);
    }
    return kNoValue;
  }
  ValueId MergeAxes(ValueId x) {
    if (Rank(x) < 3) return kNoValue;
    Shape shape = ShapeOf(x);
    const int64_t axis = Below(Rank(x) - 1);
    shape[axis] *= shape[axis + 1];
    shape.erase(shape.begin() + axis + 1);
    if (open_) shape[axis] = -1;
    return ReshapeAround(x, shape, axis, 2, 1);
  }
  // `shape`, in which axes [axis, axis + to) take the place of [axis, axis +
  // from) of x. Sizes that may depend on the length are computed from it.
  ValueId ReshapeAround(ValueId x, const Shape& shape, int64_t axis,
                        int64_t from, int64_t to) {
    if (!open_) return b_.Add("Reshape", {x, Ints(shape)});
    std::vector<ValueId> sizes;
    for (int64_t k = 0; k < static_cast<int64_t>(shape.size()); ++k) {
      const bool is_new = k >= axis && k < axis + to;
      const int64_t old = k < axis ? k : k - to + from;
      sizes.push_back(is_new ? Ints({shape[k]}) : SizeOf(x, old));
    }
    const ValueId all = b_.Add("Concat", sizes, {{"axis", int64_t{0}}});
    return b_.Add("Reshape", {x, all});
  }
  ValueId SizeOf(ValueId x, int64_t axis) {
    return b_.Add("Slice",
                  {b_.Add("Shape", {x}), Ints({axis}), Ints({axis + 1})});
  }

  // A table with a row for each index of an axis, and more.
  ValueId AddTable(ValueId x) {
    const int64_t axis = Below(Rank(x));
    const int64_t rows = 24 + Below(3);
    if (longer_.types[x].shape[axis] > 20) return kNoValue;
    Shape shape(ShapeOf(x).size(), 1);
    shape[axis] = rows;
    const bool whole = axis + 1 < Rank(x) && !Varies(x, Rank(x) - 1);
    if (whole && Below(2) == 0) shape.back() = ShapeOf(x).back();
    const ValueId size = SizeOf(x, axis);
    const ValueId rows_end = Ints({rows});
    const bool from_end = Below(2) == 0;
    const ValueId begin =
        from_end ? b_.Add("Sub", {rows_end, size}) : Ints({0});
    const ValueId table =
        b_.Add("Slice", {b_.Weight(Name(), shape), begin,
                         from_end ? rows_end : size, Ints({axis})});
    return b_.Add("Add", {x, table});
  }
  // Rows that are appended along an axis, and some of which may be cut off.
  ValueId Memory(ValueId x) {
    if (Rank(x) < 2) return kNoValue;
    const int64_t axis = Below(Rank(x));
    std::vector<ValueId> sizes;
    for (int64_t k = 0; k < Rank(x); ++k) {
      sizes.push_back(k == axis ? Ints({4}) : SizeOf(x, k));
    }
    Shape shape(ShapeOf(x).size(), 1);
    shape[axis] = 4;
    const ValueId rows =
        b_.Add("Expand", {b_.Weight(Name(), shape),
                          b_.Add("Concat", sizes, {{"axis", int64_t{0}}})});
    const ValueId all = b_.Add("Concat", {x, rows}, {{"axis", axis}});
    const int64_t begin = Below(4);
    return b_.Add("Slice", {all, Ints({begin}), Ints({1 << 30}), Ints({axis})});
  }
  // [batch, channels, length], in two groups.
  ValueId GroupedConv(ValueId x) {
    const Shape& shape = ShapeOf(x);
    if (shape.size() != 3 || shape[1] % 2 != 0 || shape[1] < 4) return kNoValue;
    if (Varies(x, 1)) return kNoValue;
    return b_.Add("Conv", {x, b_.Weight(Name(), {shape[1], shape[1] / 2, 1})},
                  {{"group", int64_t{2}}});
  }
  // The last axis times itself, in two axes or flattened into one.
  ValueId SelfProduct(ValueId x) {
    const int64_t rank = Rank(x);
    const ValueId square =
        b_.Add("Mul", {b_.Add("Unsqueeze", {x, Ints({rank})}),
                       b_.Add("Unsqueeze", {x, Ints({rank - 1})})});
    if (Below(2) == 0 || rank + 1 > static_cast<int64_t>(kMostAxes)) {
      return square;
    }
    Shape shape = ShapeOf(x);
    shape.back() = -1;
    return ReshapeAround(square, shape, rank - 1, 2, 1);
  }
  ValueId EverySecond(ValueId x) {
    const int64_t axis = Below(Rank(x));
    if (ShapeOf(x)[axis] < 2) return kNoValue;
    return b_.Add("Slice", {x, Ints({Below(2)}), Ints({1 << 30}), Ints({axis}),
                            Ints({2})});
  }
  // Three parts of one dense layer, put together again.
  ValueId FusedParts(ValueId x) {
    if (Varies(x, Rank(x) - 1)) return kNoValue;
    const int64_t width = 2 + Below(3);
    const ValueId fused = b_.Add(
        "MatMul", {x, b_.Weight(Name(), {ShapeOf(x).back(), 3 * width})});
    const auto parts = b_.AddMany("Split", {fused, Ints({width, width, width})},
                                  {{"axis", int64_t{-1}}}, 3);
    return b_.Add("Add", {b_.Add("Mul", {parts[0], parts[1]}), parts[2]});
  }
  ValueId Transpose(ValueId x) {
    std::vector<int64_t> order;
    for (int64_t k = 0; k < Rank(x); ++k) order.push_back(k);
    random_.Shuffle(std::span(order));
    return b_.Add("Transpose", {x}, {{"perm", order}});
  }
  ValueId Concat(ValueId x) {
    const ValueId twin = Below(3) == 0 ? x : Twin(x);
    if (twin == kNoValue) return kNoValue;
    if (Below(2) == 0) {
      return b_.Add("Concat", {x, twin}, {{"axis", Below(Rank(x))}});
    }
    const ValueId axis = Ints({0});
    return b_.Add(
        "Concat",
        {b_.Add("Unsqueeze", {x, axis}), b_.Add("Unsqueeze", {twin, axis})},
        {{"axis", int64_t{0}}});
  }
  ValueId Slice(ValueId x) {
    const int64_t axis = Below(Rank(x));
    const int64_t size = ShapeOf(x)[axis];
    if (size < 2) return kNoValue;
    const int64_t half = size / 2;
    const int64_t begin = Below(2) == 0 ? 0 : half;
    return b_.Add("Slice",
                  {x, Ints({begin}), Ints({begin + half}), Ints({axis})});
  }
  ValueId AlongAxis(ValueId x, const char* op) {
    return b_.Add(op, {x}, {{"axis", Below(Rank(x))}});
  }
  ValueId Reduce(ValueId x) {
    if (Rank(x) < 2) return kNoValue;
    return b_.Add("ReduceMean", {x, Ints({Below(Rank(x))})},
                  {{"keepdims", Below(2)}});
  }
  // x y^T over the last axis, of two values alike.
  ValueId Attend(ValueId x) {
    const ValueId twin = Twin(x);
    if (twin == kNoValue || Rank(x) < 2) return kNoValue;
    std::vector<int64_t> order;
    for (int64_t k = 0; k < Rank(x); ++k) order.push_back(k);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return b_.Add("MatMul",
                  {x, b_.Add("Transpose", {twin}, {{"perm", order}})});
  }
  ValueId TakeIndex(ValueId x) {
    if (Rank(x) < 2) return kNoValue;
    const int64_t axis = Below(Rank(x));
    return b_.Add("Gather", {x, b_.Int(Below(ShapeOf(x)[axis]))},
                  {{"axis", axis}});
  }
  ValueId Stretch(ValueId x) {
    const int64_t axis = Below(Rank(x));
    if (Below(2) == 0) {
      std::vector<int64_t> copies(ShapeOf(x).size(), 1);
      copies[axis] = 2;
      return b_.Add("Tile", {x, Ints(copies)});
    }
    std::vector<int64_t> pads(2 * ShapeOf(x).size(), 0);
    pads[axis] = Below(3);
    pads[axis + ShapeOf(x).size()] = Below(3);
    return b_.Add("Pad", {x, Ints(pads)});
  }

  Random random_;
  bool varied_ = false;
  bool open_ = false;
  GraphBuilder b_;
  Inference longer_;  // at another length
  std::vector<ValueId> values_;
  int weights_ = 0;
};

class RandomGraphsTest : public ::testing::TestWithParam<int> {};

TEST_P(RandomGraphsTest, KeepTheirFunction) {
  double freedom = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    const uint64_t seed = static_cast<uint64_t>(GetParam()) * 1000 + i;
    const Graph graph =
        RandomNetwork(seed).Build(5 + static_cast<int>(seed % 30));
    const Discovery found = Discover(graph);
    freedom += found.symmetry.Log10Order();
    EXPECT_LT(testing::FunctionDifference(graph, found.symmetry, seed), 1e-8)
        << "seed " << seed;
  }
  EXPECT_GT(freedom, 100);
}

TEST_P(RandomGraphsTest, KeepTheirFunctionWhenScaled) {
  size_t scales = 0, signs = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    const uint64_t seed = static_cast<uint64_t>(GetParam()) * 1000 + i;
    const Graph graph = RandomNetwork(seed, {.varied = true})
                            .Build(5 + static_cast<int>(seed % 30));
    const Discovery found = Discover(graph, {.scales = true, .signs = true});
    for (const Scaling& scaling : found.symmetry.scalings()) {
      ++(scaling.kind == ScalingKind::kScale ? scales : signs);
    }
    EXPECT_LT(testing::FunctionDifference(graph, found.symmetry, seed), 1e-8)
        << "seed " << seed;
  }
  EXPECT_GT(scales, 20u);
  EXPECT_GT(signs, 20u);
}

// At lengths that discovery did not look at, too.
TEST_P(RandomGraphsTest, KeepTheirFunctionAtAllSizes) {
  double freedom = 0;
  int runs = 0, larger = 0;
  for (uint64_t i = 0; i < 350; ++i) {
    const uint64_t seed = static_cast<uint64_t>(GetParam()) * 1000 + i;
    const Graph graph =
        RandomNetwork(seed, {.open = true}).Build(5 + static_cast<int>(i % 25));
    const Discovery found = Discover(graph);
    freedom += found.symmetry.Log10Order();
    for (int64_t length : {2, 3, 4, 5, 6, 8, 9, 13}) {
      const auto difference = testing::FunctionDifferenceAt(
          graph, found.symmetry, {{2, length, 4}}, seed);
      if (!difference) continue;
      ++runs;
      larger += length > 4;
      EXPECT_LT(*difference, 1e-8) << "seed " << seed << " length " << length;
    }
  }
  EXPECT_GT(freedom, 100);
  EXPECT_GT(runs, 350);
  EXPECT_GT(larger, 200);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphsTest, ::testing::Range(0, 3));
INSTANTIATE_TEST_SUITE_P(SlowSeeds, RandomGraphsTest, ::testing::Range(3, 12));

}  // namespace
}  // namespace rebasin
