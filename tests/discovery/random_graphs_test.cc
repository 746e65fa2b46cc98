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

class RandomNetwork {
 public:
  // `varied`: with activations of all kinds, not only tanh.
  explicit RandomNetwork(uint64_t seed, bool varied = false)
      : random_(seed), varied_(varied) {
    values_.push_back(b_.Input("x", {2, 3, 4}));
    values_.push_back(Dense(values_[0]));
  }

  Graph Build(int steps) {
    for (int step = 0; step < steps; ++step) Grow();
    // The last values are read out, so that most of the network matters.
    const size_t outputs = std::min<size_t>(3, values_.size());
    for (size_t o = 0; o < outputs; ++o) {
      const ValueId value = values_[values_.size() - 1 - o];
      const ValueId read =
          Rank(value) == 0 ? b_.Add("Tanh", {value}) : Dense(value);
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
    const ValueId x = Pick();
    const ValueId y = Rank(x) == 0 ? kNoValue : Step(x);
    if (y == kNoValue) return;
    int64_t size = 1;
    for (int64_t s : ShapeOf(y)) size *= s;
    if (size <= kMostElements && ShapeOf(y).size() <= kMostAxes) {
      values_.push_back(y);
    }
  }

  ValueId Step(ValueId x) {
    switch (Below(18)) {
      case 0:
      case 1:
      case 2:
        return Dense(x);
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
      if (id != x && ShapeOf(id) == ShapeOf(x)) twins.push_back(id);
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
    for (int64_t& size : shape) {
      if (Below(2) == 0) size = 1;
    }
    return b_.Add("Mul", {x, b_.Weight(Name(), shape)});
  }
  ValueId SplitAxis(ValueId x) {
    Shape shape = ShapeOf(x);
    const int64_t axis = Below(Rank(x));
    for (int64_t factor : {2, 3}) {
      if (shape[axis] % factor != 0 || shape[axis] == factor) continue;
      const int64_t rest = shape[axis] / factor;
      const bool small_first = Below(2) == 0;
      shape[axis] = small_first ? factor : rest;
      shape.insert(shape.begin() + axis + 1, small_first ? rest : factor);
      return b_.Add("Reshape", {x, Ints(shape)});
    }
    return kNoValue;
  }
  ValueId MergeAxes(ValueId x) {
    if (Rank(x) < 3) return kNoValue;
    Shape shape = ShapeOf(x);
    const int64_t axis = Below(Rank(x) - 1);
    shape[axis] *= shape[axis + 1];
    shape.erase(shape.begin() + axis + 1);
    return b_.Add("Reshape", {x, Ints(shape)});
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
  GraphBuilder b_;
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
    const Graph graph = RandomNetwork(seed, /*varied=*/true)
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

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphsTest, ::testing::Range(0, 12));

}  // namespace
}  // namespace rebasin
