// By LibTorch, in double. When all cases were run, every lowering must have
// been, and the operators without one are those whose rows say so.

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "graph/one_node.h"
#include "graph/ops/ops.h"
#include "nn/lowering.h"
#include "nn/network.h"
#include "nn/plan.h"
#include "nn/tensors.h"

namespace rebasin::testing {
namespace {

using ::testing::IsEmpty;

// Operators whose lowering ran.
std::set<std::string>& Lowered() {
  static std::set<std::string> ops;
  return ops;
}

class Coverage : public ::testing::Environment {
 public:
  void TearDown() override {
    // Only where all tests were run.
    if (::testing::UnitTest::GetInstance()->test_to_run_count() <
        ::testing::UnitTest::GetInstance()->total_test_count()) {
      return;
    }
    std::vector<std::string> not_as_said, not_run;
    for (const std::span<const Operator> family : AllOperators()) {
      for (const Operator& op : family) {
        const std::string name(op.name);
        const bool lowered = nn::FindLowering(name) != nullptr;
        const bool said = op.facts.lowered != LoweredBy::kReference;
        if (lowered != said) not_as_said.push_back(name);
        if (lowered && !Lowered().contains(name)) not_run.push_back(name);
      }
    }
    EXPECT_THAT(not_run, IsEmpty());
    EXPECT_THAT(not_as_said, IsEmpty());
  }
};

const auto* const kCoverage = ::testing::AddGlobalTestEnvironment(new Coverage);

}  // namespace

std::vector<Array> RunOneNode(const OneNode& one) {
  const auto graph = std::make_shared<const Graph>(one.graph);
  const nn::Plan plan(*graph, one.shapes, at::kDouble, at::kCPU);
  for (const nn::Step& step : plan.steps()) {
    if (step.lowering != nullptr) Lowered().insert(step.node->op);
  }
  std::vector<at::Tensor> inputs;
  for (const Array& array : one.inputs) {
    inputs.push_back(nn::FromArray(array, at::kDouble));
  }
  const auto outputs = nn::Network(graph, Precision::kFloat64).Run({}, inputs);
  const Inference inference = Infer(*graph, one.shapes);
  std::vector<Array> results;
  for (size_t o = 0; o < outputs.size(); ++o) {
    const ValueType& type = inference.types[graph->outputs()[o]];
    if (type.known) {
      EXPECT_EQ(outputs[o].sizes().vec(), type.shape);
      EXPECT_EQ(outputs[o].scalar_type(),
                nn::ScalarTypeOf(type.kind, at::kDouble));
    }
    results.push_back(nn::ToArray(outputs[o], type.kind));
  }
  return results;
}

}  // namespace rebasin::testing
