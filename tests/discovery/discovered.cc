#include "discovery/discovered.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>

#include "base/random.h"
#include "graph/inference.h"
#include "rebasin/discovery.h"
#include "rebasin/merge.h"
#include "verify/trial.h"

namespace rebasin::testing {
namespace {

// Weights that a norm divides by the root of.
std::set<std::string> Variances(const Graph& graph) {
  std::set<std::string> names;
  for (const Node& node : graph.nodes()) {
    if (node.op != "BatchNormalization") continue;
    names.insert(graph.values()[node.inputs[4]].name);
  }
  return names;
}

double FanIn(const Shape& shape) {
  double fan_in = 1;
  for (size_t k = 1; k < shape.size(); ++k) fan_in *= double(shape[k]);
  return fan_in;
}

// Powers of an open size may be too much for memory.
bool IsSmall(const Inference& inference) {
  constexpr double kMost = 1e6;
  double elements = 0;
  for (const ValueType& type : inference.types) {
    double size = 1;
    for (int64_t s : type.shape) size *= double(s);
    elements += size;
  }
  return elements < kMost;
}

}  // namespace

std::vector<std::string> AxesOf(const Symmetry& symmetry,
                                const std::string& weight) {
  const TensorSymmetry* tensor = symmetry.Find(weight);
  if (tensor == nullptr) return {"no such weight"};
  return AxisTexts(*tensor, symmetry.groups());
}

Checkpoint RandomWeights(const Graph& graph, uint64_t seed) {
  const std::set<std::string> variances = Variances(graph);
  Random random(seed);
  std::vector<Tensor> tensors;
  for (ValueId id : graph.weights()) {
    const Value& weight = graph.values()[id];
    int64_t size = 1;
    for (int64_t s : weight.shape) size *= s;
    std::vector<float> values(size);
    const double scale = 1 / std::sqrt(FanIn(weight.shape));
    for (float& value : values) {
      const double x = random.Normal();
      value = static_cast<float>(
          variances.contains(weight.name) ? 0.5 + std::abs(x) : x * scale);
    }
    tensors.push_back(MakeTensor(weight.name, weight.shape, values));
  }
  return Checkpoint(std::move(tensors));
}

double FunctionDifference(const Graph& graph, const Symmetry& symmetry,
                          uint64_t seed) {
  const auto shared = std::make_shared<const Symmetry>(symmetry);
  const VerifyReport report =
      Verify(graph, RandomWeights(graph, seed),
             Alignment::Random(shared, seed + 1), {}, {.seed = seed + 2});
  double difference = 0;
  for (const OutputDifference& output : report.outputs) {
    const double scale = output.largest > 0 ? output.largest : 1;
    difference = std::max(difference, output.difference / scale);
  }
  return difference;
}

std::optional<double> FunctionDifferenceAt(const Graph& graph,
                                           const Symmetry& symmetry,
                                           const std::vector<Shape>& shapes,
                                           uint64_t seed) {
  const auto inference = TryInfer(graph, shapes);
  if (!inference || !IsSmall(*inference)) return std::nullopt;
  const auto shared = std::make_shared<const Symmetry>(symmetry);
  const Checkpoint before = RandomWeights(graph, seed);
  const Checkpoint after =
      Permute(before, Alignment::Random(shared, seed + 1), {.threads = 1});
  const Trial trial(graph, shapes, seed + 2);
  const auto outputs = trial.Run(WeightsOf(before));
  if (!AllFinite(outputs)) return std::nullopt;
  return LargestRelative(trial.Compare(outputs, trial.Run(WeightsOf(after))));
}

void ExpectSameFunction(const Graph& graph, const Symmetry& symmetry,
                        int trials) {
  for (int trial = 0; trial < trials; ++trial) {
    EXPECT_LT(FunctionDifference(graph, symmetry, 10 * trial + 1), 1e-9);
  }
}

}  // namespace rebasin::testing
