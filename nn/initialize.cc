// Initial weights, chosen by the operators that read each weight.

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "graph/operator.h"
#include "rebasin/nn/train.h"

namespace rebasin {
namespace {

// A use of a weight: a node and the number of its input, after operators that
// only rearrange. `axes` maps the axes at this place to axes of the weight.
struct Use {
  const Node* node = nullptr;
  size_t input = 0;
  std::vector<int64_t> axes;
};

std::vector<int64_t> Permuted(const std::vector<int64_t>& axes,
                              const Node& transpose) {
  const auto found = transpose.attributes.find("perm");
  std::vector<int64_t> result(axes.rbegin(), axes.rend());
  if (found == transpose.attributes.end()) return result;
  const auto* perm = std::get_if<std::vector<int64_t>>(&found->second);
  for (size_t i = 0; perm != nullptr && i < result.size(); ++i) {
    result[i] = axes[(*perm)[i]];
  }
  return result;
}

// Follows the first use to an operator that computes.
Use FindUse(const Graph& graph, ValueId value, std::vector<int64_t> axes) {
  for (const Node& node : graph.nodes()) {
    const auto at = std::find(node.inputs.begin(), node.inputs.end(), value);
    if (at == node.inputs.end()) continue;
    const View view = FactsOf(node).view;
    if (view == View::kWhole || view == View::kConverted) {
      return FindUse(graph, node.outputs.front(), std::move(axes));
    }
    if (view == View::kTransposed) {
      return FindUse(graph, node.outputs.front(), Permuted(axes, node));
    }
    return {&node, static_cast<size_t>(at - node.inputs.begin()), axes};
  }
  return {};
}

// The axis of the weight that counts a layer's outputs; -1 if it is not a
// layer's weight.
int64_t OutputAxis(const Use& use) {
  const OperatorInput input = FactsOf(*use.node).input(use.input);
  const size_t rank = use.axes.size();
  if (rank < 2 || input.role != InputRole::kFactor ||
      input.channel_axis == kNoAxis) {
    return -1;
  }
  return use.axes[StatedAxis(*use.node, input, input.channel_axis, rank)];
}

// The distribution of an initial weight: normal with this mean and deviation.
struct Numbers {
  double mean = 0;
  double deviation = 0;
};

constexpr double kEmbedding = 0.02;

double FanIn(const Shape& shape, int64_t output_axis) {
  double fan_in = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (static_cast<int64_t>(i) != output_axis) {
      fan_in *= static_cast<double>(shape[i]);
    }
  }
  return std::max(fan_in, 1.0);
}

Numbers FactorStart(const Use& use, const Shape& shape,
                    Initialization initialization) {
  const int64_t output = OutputAxis(use);
  if (output < 0) return {};
  const double gain = initialization == Initialization::kKaiming ? 2.0 : 1.0;
  return {.deviation = std::sqrt(gain / FanIn(shape, output))};
}

Numbers NormalizationStart(InputRole role) {
  const bool one = role == InputRole::kScale || role == InputRole::kVariance;
  return {.mean = one ? 1.0 : 0.0};
}

Numbers StartOf(const Graph& graph, ValueId weight,
                Initialization initialization) {
  const Shape& shape = graph.values()[weight].shape;
  std::vector<int64_t> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    axes.push_back(static_cast<int64_t>(i));
  }
  const Use use = FindUse(graph, weight, axes);
  if (use.node == nullptr) return {};
  switch (FactsOf(*use.node).init) {
    case WeightInit::kUnspecified:
    case WeightInit::kNone:
    case WeightInit::kZeros:
      return {};
    case WeightInit::kFanIn:
      return FactorStart(use, shape, initialization);
    case WeightInit::kNormalization:
      return NormalizationStart(RoleOfInput(*use.node, use.input));
    case WeightInit::kOnes:
      return {.mean = 1};
    case WeightInit::kSlope:
      return {.mean = 0.25};
    case WeightInit::kTable:
      return {.deviation = kEmbedding};
    case WeightInit::kTableOrBias:
      return {.deviation = shape.size() > 1 ? kEmbedding : 0};
  }
  return {};
}

}  // namespace

Checkpoint InitialWeights(const Graph& graph, Initialization initialization,
                          uint64_t seed) {
  Random seeds(seed);
  std::vector<Tensor> tensors;
  for (ValueId id : graph.weights()) {
    const Value& value = graph.values()[id];
    const Numbers start = StartOf(graph, id, initialization);
    Random random(seeds.Next());
    int64_t size = 1;
    for (int64_t extent : value.shape) size *= extent;
    std::vector<float> numbers(static_cast<size_t>(size));
    for (float& number : numbers) {
      number = static_cast<float>(start.mean);
      if (start.deviation > 0) {
        number += static_cast<float>(start.deviation * random.Normal());
      }
    }
    tensors.push_back(MakeTensor(value.name, value.shape, numbers));
  }
  return Checkpoint(std::move(tensors));
}

}  // namespace rebasin
