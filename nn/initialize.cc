// Initial weights, by what each weight is for: the operators that read it say.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "rebasin/train.h"

namespace rebasin {
namespace {

// Where a weight is read: a node and the input's number. Followed through
// what only rearranges: `axes` says which axis of the weight each axis there
// is.
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

// The first use that computes something.
Use FindUse(const Graph& graph, ValueId value, std::vector<int64_t> axes) {
  for (const Node& node : graph.nodes()) {
    const auto at = std::find(node.inputs.begin(), node.inputs.end(), value);
    if (at == node.inputs.end()) continue;
    if (node.op == "Identity" || node.op == "Cast") {
      return FindUse(graph, node.outputs.front(), std::move(axes));
    }
    if (node.op == "Transpose") {
      return FindUse(graph, node.outputs.front(), Permuted(axes, node));
    }
    return {&node, static_cast<size_t>(at - node.inputs.begin()), axes};
  }
  return {};
}

int64_t IntAttribute(const Node& node, const std::string& name) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return 0;
  const auto* value = std::get_if<int64_t>(&found->second);
  return value == nullptr ? 0 : *value;
}

// The axis of the weight that counts a layer's outputs; -1 if it is no layer's.
int64_t OutputAxis(const Use& use) {
  const std::string& op = use.node->op;
  const size_t rank = use.axes.size();
  if (rank < 2) return -1;
  if (op == "Conv" && use.input == 1) return use.axes[0];
  if (op == "ConvTranspose" && use.input == 1) return use.axes[1];
  if (op == "MatMul" && use.input == 1) return use.axes[rank - 1];
  if (op == "MatMul" && use.input == 0) return use.axes[rank - 2];
  if (op == "Gemm" && use.input == 1) {
    return use.axes[IntAttribute(*use.node, "transB") != 0 ? 0 : 1];
  }
  const bool recurrent = op == "LSTM" || op == "GRU" || op == "RNN";
  // [directions, gates * hidden, inputs]
  if (recurrent && (use.input == 1 || use.input == 2)) return use.axes[1];
  return -1;
}

bool IsNormalization(const std::string& op) {
  return op.ends_with("Normalization");
}

// What a weight starts as: normal numbers of this deviation around the mean.
struct Start {
  double mean = 0;
  double deviation = 0;
};

constexpr double kEmbedding = 0.02;

Start StartOf(const Graph& graph, ValueId weight,
              Initialization initialization) {
  const Shape& shape = graph.values()[weight].shape;
  std::vector<int64_t> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    axes.push_back(static_cast<int64_t>(i));
  }
  const Use use = FindUse(graph, weight, axes);
  if (use.node == nullptr) return {};
  if (const int64_t output = OutputAxis(use); output >= 0) {
    double fan_in = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (static_cast<int64_t>(i) != output) {
        fan_in *= static_cast<double>(shape[i]);
      }
    }
    const double gain = initialization == Initialization::kKaiming ? 2.0 : 1.0;
    return {.deviation = std::sqrt(gain / std::max(fan_in, 1.0))};
  }
  const std::string& op = use.node->op;
  // Scale is input 1; running variance is input 4.
  if (IsNormalization(op)) {
    return {.mean = use.input == 1 || use.input == 4 ? 1.0 : 0.0};
  }
  if (op == "Mul") return {.mean = 1};  // scales
  if (op == "PRelu") return {.mean = 0.25};
  // Tables of tokens and positions; vectors that are added are biases.
  const bool table =
      op == "Gather" || op == "Concat" || (op == "Add" && shape.size() > 1);
  return {.deviation = table ? kEmbedding : 0};
}

}  // namespace

Checkpoint InitialWeights(const Graph& graph, Initialization initialization,
                          uint64_t seed) {
  Random seeds(seed);
  std::vector<Tensor> tensors;
  for (ValueId id : graph.weights()) {
    const Value& value = graph.values()[id];
    const Start start = StartOf(graph, id, initialization);
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
