// Networks to find symmetries in, and what is found in them.

#ifndef REBASIN_TESTS_DISCOVERY_STRUCTURE_H_
#define REBASIN_TESTS_DISCOVERY_STRUCTURE_H_

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "discovery/discovered.h"
#include "graph/builder.h"
#include "rebasin/discovery.h"

namespace rebasin::testing {

// Builds networks of the parts that attention is made of.
class Structure : public ::testing::Test {
 protected:
  static constexpr int64_t kBatch = 2;
  static constexpr int64_t kTokens = 3;
  static constexpr int64_t kWidth = 8;
  static constexpr int64_t kHeads = 3;
  static constexpr int64_t kSize = 4;  // of a head

  ValueId Tokens() { return b_.Input("x", {kBatch, kTokens, kWidth}); }
  ValueId Dense(ValueId x, const std::string& name, int64_t width) {
    const int64_t in = b_.shape(x).back();
    return b_.Add("MatMul", {x, b_.Weight(name, {in, width})});
  }
  ValueId Reshape(ValueId x, std::vector<int64_t> shape) {
    return b_.Add("Reshape", {x, b_.Ints(std::move(shape))});
  }
  ValueId Transpose(ValueId x, std::vector<int64_t> order) {
    return b_.Add("Transpose", {x}, {{"perm", std::move(order)}});
  }
  // [batch, tokens, heads * size] -> [batch, heads, tokens, size]
  ValueId SplitHeads(ValueId x, int64_t heads) {
    return Transpose(Reshape(x, {0, 0, heads, -1}), {0, 2, 1, 3});
  }
  ValueId JoinHeads(ValueId x) {
    return Reshape(Transpose(x, {0, 2, 1, 3}), {0, 0, -1});
  }
  ValueId Attend(ValueId q, ValueId k, ValueId v) {
    const ValueId scores = b_.Add("MatMul", {q, Transpose(k, {0, 1, 3, 2})});
    return b_.Add("MatMul", {b_.Add("Softmax", {scores}), v});
  }
  ValueId Index(ValueId x, int64_t index) {
    return b_.Add("Gather", {x, b_.Int(index)});
  }
  void Found() {
    graph_ = b_.Build();
    discovery_ = Discover(graph_);
    ExpectSameFunction(graph_, discovery_.symmetry);
  }
  std::vector<std::string> Of(const std::string& weight) {
    return AxesOf(discovery_.symmetry, weight);
  }
  std::string Parent(const std::string& group) {
    const Symmetry& symmetry = discovery_.symmetry;
    const int index = symmetry.FindGroup(group);
    if (index == kNoGroup) return "no such group";
    const int parent = symmetry.groups()[index].parent;
    return parent == kNoGroup ? "" : symmetry.groups()[parent].name;
  }

  // The number of permutations that leave the function as it is, as
  // factorials of these numbers.
  void ExpectOrder(const std::vector<int64_t>& factorials) {
    double log10_order = 0;
    for (int64_t n : factorials) log10_order += std::lgamma(n + 1.0);
    EXPECT_NEAR(discovery_.symmetry.Log10Order(), log10_order / std::log(10),
                1e-9);
  }

  GraphBuilder b_;
  Graph graph_;
  Discovery discovery_;
};

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_DISCOVERY_STRUCTURE_H_
