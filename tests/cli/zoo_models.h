// Models of built-in architectures with random weights.

#ifndef REBASIN_TESTS_CLI_ZOO_MODELS_H_
#define REBASIN_TESTS_CLI_ZOO_MODELS_H_

#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "rebasin/checkpoint.h"
#include "rebasin/zoo.h"

namespace rebasin::testing {

inline Checkpoint RandomZooModel(const std::string& text, uint64_t seed = 1) {
  const Graph graph = ZooGraph(text);
  Random random(seed);
  std::vector<Tensor> tensors;
  for (const ValueId id : graph.weights()) {
    const Value& weight = graph.values()[static_cast<size_t>(id)];
    int64_t size = 1;
    for (const int64_t n : weight.shape) size *= n;
    std::vector<float> values(static_cast<size_t>(size));
    for (float& x : values) x = static_cast<float>(0.1 * random.Normal());
    // Variances are positive.
    if (weight.name.ends_with("running_var")) {
      for (float& x : values) x = x * x + 1;
    }
    tensors.push_back(MakeTensor(weight.name, weight.shape, values));
  }
  return Checkpoint(std::move(tensors));
}

}  // namespace rebasin::testing

#endif  // REBASIN_TESTS_CLI_ZOO_MODELS_H_
