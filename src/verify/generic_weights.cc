#include "verify/generic_weights.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/checked.h"
#include "base/random.h"

namespace rebasin {
namespace {

// Keeps the size of activations through layers with ReLU.
constexpr double kGain = 1.4;

// How many products with elements of this weight are summed up at a node; 1 if
// the weight is no factor of such sums there.
int64_t SummedAt(const Node& node, size_t input, const Shape& shape) {
  const size_t rank = shape.size();
  if (rank < 2) return 1;
  const int64_t behind =
      *CheckedProduct(shape) / std::max<int64_t>(shape[0], 1);
  if (node.op == "Conv" && input == 1) return behind;
  if (node.op == "ConvTranspose" && input == 1) return shape[0];
  if (node.op == "MatMul")
    return input == 1 ? shape[rank - 2] : shape[rank - 1];
  if (node.op == "Gemm" && input < 2) {
    const auto found = node.attributes.find(input == 1 ? "transB" : "transA");
    const auto* turned = found == node.attributes.end()
                             ? nullptr
                             : std::get_if<int64_t>(&found->second);
    const bool last = (input == 1) == (turned != nullptr && *turned != 0);
    return last ? shape[1] : shape[0];
  }
  const bool recurrent =
      node.op == "LSTM" || node.op == "GRU" || node.op == "RNN";
  if (recurrent && input < 3) return shape[rank - 1];
  return 1;
}

// By value: the largest such number among all uses of a weight, also behind a
// Transpose or Reshape, where the number of its columns is the best guess.
std::vector<int64_t> FindSummed(const Graph& graph) {
  std::vector<int64_t> summed(graph.values().size(), 1);
  for (const Node& node : graph.nodes()) {
    const bool moves = node.op == "Transpose" || node.op == "Reshape";
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == kNoValue || graph.values()[id].role != Role::kWeight) continue;
      const Shape& shape = graph.values()[id].shape;
      const int64_t here =
          moves && shape.size() >= 2 ? shape.back() : SummedAt(node, i, shape);
      summed[id] = std::max(summed[id], here);
    }
  }
  return summed;
}

// What a weight does where it is used.
enum class Part { kFactor, kNormScale, kNormMean, kBias };

bool IsNorm(const Node& node) { return node.op.ends_with("Normalization"); }

Part PartAt(const Node& node, size_t input, const Shape& shape) {
  const bool adds = node.op == "Conv" || node.op == "ConvTranspose" ||
                    node.op == "Gemm" || IsNorm(node);
  if (node.op == "Add") return shape.size() == 1 ? Part::kBias : Part::kFactor;
  if (adds && input == 2) return Part::kBias;
  if (IsNorm(node) && input == 3) return Part::kNormMean;
  return IsNorm(node) && input == 1 ? Part::kNormScale : Part::kFactor;
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

// Small biases above zero, and norms that amplify less or more from draw to
// draw: some draw keeps activations, over any number of layers, away from where
// ReLU6 and the like are constant, and makes up for what kernels lose at
// borders.
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
