// By the reference interpreter.

#include <gtest/gtest.h>

#include "graph/interpreter.h"
#include "graph/one_node.h"

namespace rebasin::testing {

std::vector<Array> RunOneNode(const OneNode& one) {
  const Inference inference = Infer(one.graph, one.shapes);
  const auto results = RunGraph(one.graph, inference, one.inputs, nullptr);
  for (size_t o = 0; o < results.size(); ++o) {
    const ValueType& type = inference.types[one.graph.outputs()[o]];
    if (!type.known) continue;
    EXPECT_EQ(type.shape, results[o].shape);
    EXPECT_EQ(type.kind, results[o].kind);
  }
  return results;
}

}  // namespace rebasin::testing
