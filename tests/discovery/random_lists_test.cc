// Branches of random operators, alike or nearly so: what is found must always
// be a symmetry, and where nothing tells branches apart they change places.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "discovery/discovered.h"
#include "graph/builder.h"
#include "rebasin/discovery.h"

namespace rebasin {
namespace {

constexpr int64_t kTokens = 3, kWidth = 6;

// What is done to one branch, or between branches, that the others do not know.
enum class Fault : uint8_t {
  kNone,
  kOtherOperator,
  kOtherConstant,
  kOtherScore,  // two branches read the same score
  kSharedWeight,
  kOtherUse,    // somebody else uses a branch's result
  kNextScore,   // each branch also reads the score of the next one
  kNextWeight,  // each branch also reads a weight of the next one
  kScoresAreSeen,
  kCount,
};

class RandomLists {
 public:
  RandomLists(uint64_t seed, Fault fault)
      : random_(seed), fault_(fault), branches_(2 + Below(4)) {}

  Graph Build() {
    const uint64_t program = random_.Next();
    x_ = b_.Add("Add", {b_.Input("x", {kTokens, kWidth}),
                        b_.Weight("features", {kWidth})});
    scores_ = b_.Add("Sigmoid", {Dense(x_, "router", branches_)});
    by_split_ = Below(3) == 0;
    if (by_split_) {
      split_ = b_.AddMany(
          "Split", {scores_, b_.Ints(std::vector<int64_t>(branches_, 1))},
          {{"axis", int64_t{1}}}, static_cast<size_t>(branches_));
    }
    std::vector<ValueId> results;
    for (int64_t e = 0; e < branches_; ++e) {
      results.push_back(Branch(e, program));
    }
    ValueId y = Below(3) == 0 ? Stacked(results) : Summed(results);
    if (fault_ == Fault::kOtherUse) {
      y = b_.Add("Mul", {y, b_.Add("Tanh", {results[Odd()]})});
    }
    b_.Output(Dense(y, "out", 2), "y");
    if (fault_ == Fault::kScoresAreSeen) b_.Output(scores_, "scores");
    return b_.Build();
  }

  int64_t branches() const { return branches_; }

 private:
  int64_t Below(uint64_t bound) {
    return static_cast<int64_t>(random_.Below(bound));
  }
  int64_t Odd() const { return branches_ - 1; }

  ValueId Dense(ValueId x, const std::string& name, int64_t width) {
    return b_.Add("MatMul", {x, b_.Weight(name, {b_.shape(x).back(), width})});
  }

  ValueId Score(int64_t e) {
    if (by_split_) return split_[e];
    return b_.Add("Slice",
                  {scores_, b_.Ints({e}), b_.Ints({e + 1}), b_.Ints({1})});
  }

  // The same program for all branches, but for the fault.
  ValueId Branch(int64_t e, uint64_t program) {
    Random choices(program);
    const bool odd = e == Odd();
    const int64_t next = (e + 1) % branches_;
    const std::string name = "branch." + std::to_string(e);
    ValueId value = x_;
    const int64_t steps = 1 + static_cast<int64_t>(choices.Below(3));
    for (int64_t s = 0; s < steps; ++s) {
      const std::string layer = "." + std::to_string(s);
      const bool shared = fault_ == Fault::kSharedWeight && odd;
      const auto width = static_cast<int64_t>(3 + choices.Below(4));
      value = Dense(value, (shared ? "branch.0" : name) + layer, width);
      const char* const ops[] = {"Relu", "Tanh", "Sigmoid", "Softmax"};
      const uint64_t op = choices.Below(4);
      const bool other = fault_ == Fault::kOtherOperator && odd && s == 0;
      value = b_.Add(ops[(op + (other ? 1 : 0)) % 4], {value});
    }
    const bool constant = fault_ == Fault::kOtherConstant && odd;
    value = b_.Add("Mul", {value, b_.Float(constant ? 3 : 2)});
    value = Dense(value, name + ".last", kWidth);
    if (fault_ == Fault::kNextWeight) {
      value = b_.Add("Add", {value, Gain(next)});
    }
    value = b_.Add("Mul", {value, Gain(e)});
    const bool first = fault_ == Fault::kOtherScore && odd;
    value = b_.Add("Mul", {value, Score(first ? 0 : e)});
    if (fault_ == Fault::kNextScore) {
      value = b_.Add("Mul", {value, b_.Add("Tanh", {Score(next)})});
    }
    return value;
  }

  ValueId Gain(int64_t e) {
    return b_.Weight("gain." + std::to_string(e), {kWidth});
  }

  ValueId Summed(const std::vector<ValueId>& results) {
    ValueId sum = b_.Add("Tanh", {Dense(x_, "shared", kWidth)});
    for (ValueId result : results) sum = b_.Add("Add", {result, sum});
    return sum;
  }

  ValueId Stacked(const std::vector<ValueId>& results) {
    std::vector<ValueId> pieces;
    for (ValueId result : results) {
      pieces.push_back(b_.Add("Unsqueeze", {result, b_.Ints({1})}));
    }
    const ValueId stack = b_.Add("Concat", pieces, {{"axis", int64_t{1}}});
    return b_.Add("ReduceMax", {stack, b_.Ints({1})},
                  {{"keepdims", int64_t{0}}});
  }

  Random random_;
  Fault fault_;
  int64_t branches_;
  GraphBuilder b_;
  ValueId x_ = kNoValue, scores_ = kNoValue;
  bool by_split_ = false;
  std::vector<ValueId> split_;
};

TEST(RandomLists, AreSymmetriesWhateverTellsBranchesApart) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    for (int f = 0; f < static_cast<int>(Fault::kCount); ++f) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", fault " +
                   std::to_string(f));
      RandomLists lists(seed, static_cast<Fault>(f));
      const Graph graph = lists.Build();
      const Symmetry symmetry = Discover(graph).symmetry;
      testing::ExpectSameFunction(graph, symmetry);
      EXPECT_TRUE(f != 0 || !symmetry.lists().empty());
    }
  }
}

}  // namespace
}  // namespace rebasin
