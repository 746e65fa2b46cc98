#include "verify/generic_weights.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/checked.h"
#include "base/random.h"
#include "graph/operator.h"

namespace rebasin {
namespace {

// Preserves the size of activations through layers with ReLU.
constexpr double kGain = 1.4;

// The number of products with elements of this weight that a node sums; 1 if
// the weight is not a factor of such sums.
int64_t SummedAt(const Node& node, size_t number, const Shape& shape) {
  const OperatorInput input = FactsOf(node).input(number);
  const size_t rank = shape.size();
  if (rank < 2 || input.first_summed == kNoAxis) return 1;
  const size_t first = StatedAxis(node, input, input.first_summed, rank);
  const size_t last = StatedAxis(node, input, input.last_summed, rank);
  const auto summed = std::span(shape).subspan(first, last + 1 - first);
  // Sizes next to a zero may overflow, but such a weight has no elements.
  return CheckedProduct(summed).value_or(1);
}

// By value: the largest such number of all uses of a weight.
std::vector<int64_t> FindSummed(const Graph& graph) {
  std::vector<int64_t> summed(graph.values().size(), 1);
  for (const Node& node : graph.nodes()) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == kNoValue || graph.values()[id].role != Role::kWeight) continue;
      summed[id] =
          std::max(summed[id], SummedAt(node, i, graph.values()[id].shape));
    }
  }
  return summed;
}

// How a weight is used.
enum class Part { kFactor, kNormScale, kNormMean, kBias };

Part PartAt(const Node& node, size_t input, const Shape& shape) {
  switch (RoleOfInput(node, input)) {
    case InputRole::kAddend:
      return shape.size() == 1 ? Part::kBias : Part::kFactor;
    case InputRole::kBias:
      return Part::kBias;
    case InputRole::kScale:
      return Part::kNormScale;
    case InputRole::kMean:
      return Part::kNormMean;
    default:
      return Part::kFactor;
  }
}

std::vector<Part> FindParts(const Graph& graph) {
  std::vector<Part> parts(graph.values().size(), Part::kFactor);
  for (const Node& node : graph.nodes()) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == kNoValue || graph.values()[id].role != Role::kWeight) continue;
      const Part part = PartAt(node, i, graph.values()[id].shape);
      if (part != Part::kFactor) parts[id] = part;
    }
  }
  return parts;
}

// The gain of Signs::kCalm. Biases are small and positive, and the gain of
// norms varies from draw to draw. Then in some draw, through any number of
// layers, activations stay out of the range where ReLU6 and the like are
// constant, and do not vanish at borders.
double CalmGain(Part part, double amplification) {
  switch (part) {
    case Part::kNormScale:
      return amplification;
    case Part::kNormMean:
      return 0.3;
    case Part::kBias:
      return 0.5;
    default:
      return kGain;
  }
}

float Draw(bool positive, double scale, Random& random) {
  const double x = random.Normal();
  return static_cast<float>(scale * (positive ? 0.3 + std::abs(x) : x));
}

}  // namespace

Checkpoint GenericWeights(const Graph& graph,
                          const std::set<std::string>& positive, Signs signs,
                          uint64_t seed) {
  const std::vector<int64_t> summed = FindSummed(graph);
  const std::vector<Part> parts = FindParts(graph);
  const double amplification = 1 + Random(seed + 1).Uniform();
  Random random(seed);
  std::vector<Tensor> tensors;
  for (ValueId id : graph.weights()) {
    const Value& weight = graph.values()[id];
    const bool calm = signs == Signs::kCalm;
    const bool above_zero = signs == Signs::kAllPositive ||
                            positive.contains(weight.name) ||
                            (calm && parts[id] == Part::kBias);
    const double gain = calm ? CalmGain(parts[id], amplification) : kGain;
    const double scale = gain / std::sqrt(static_cast<double>(summed[id]));
    std::vector<float> values(*CheckedProduct(weight.shape));
    for (float& value : values) value = Draw(above_zero, scale, random);
    tensors.push_back(MakeTensor(weight.name, weight.shape, values));
  }
  return Checkpoint(std::move(tensors));
}

}  // namespace rebasin
