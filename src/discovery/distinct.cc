#include "discovery/distinct.h"

#include <algorithm>

#include "graph/operator.h"

namespace rebasin {
namespace {

class DistinctValues {
 public:
  explicit DistinctValues(const Graph& graph)
      : graph_(graph),
        plain_(graph.values().size(), false),
        nonzero_(graph.values().size(), false),
        distinct_(graph.values().size(), kNotDistinct) {}

  std::vector<int64_t> Find() {
    for (ValueId id : graph_.weights()) plain_[id] = nonzero_[id] = true;
    for (const Node& node : graph_.nodes()) Visit(node);
    return std::move(distinct_);
  }

 private:
  bool Holds(const std::vector<bool>& property, const Node& node,
             size_t input) const {
    return input < node.inputs.size() && node.inputs[input] != kNoValue &&
           property[node.inputs[input]];
  }

  int64_t DistinctOf(const Node& node, size_t input) const {
    if (input >= node.inputs.size() || node.inputs[input] == kNoValue) {
      return kNotDistinct;
    }
    return distinct_[node.inputs[input]];
  }

  int64_t DistinctAxis(const Node& node) const {
    if (FactsOf(node).view == View::kTransposed) {
      return Transposed(node, DistinctOf(node, 0));
    }
    switch (FactsOf(node).distinct) {
      case DistinctLaw::kUnspecified:
      case DistinctLaw::kMayTie:
        return kNotDistinct;
      case DistinctLaw::kAsInput:
        return DistinctOf(node, 0);
      case DistinctLaw::kAsProduct:
        return Holds(nonzero_, node, 0) && Holds(plain_, node, 1)
                   ? -1
                   : kNotDistinct;
      case DistinctLaw::kAsSum:  // the other operand is a bias
        if (Holds(plain_, node, 1)) return DistinctOf(node, 0);
        return Holds(plain_, node, 0) ? DistinctOf(node, 1) : kNotDistinct;
    }
    return kNotDistinct;
  }

  // The position of the input's axis in the output. Without `perm` the axes are
  // reversed, which would require the rank.
  static int64_t Transposed(const Node& node, int64_t axis) {
    const auto found = node.attributes.find("perm");
    const auto* order = found == node.attributes.end()
                            ? nullptr
                            : std::get_if<std::vector<int64_t>>(&found->second);
    if (axis == kNotDistinct || order == nullptr) return kNotDistinct;
    const auto rank = static_cast<int64_t>(order->size());
    const auto at = std::find(order->begin(), order->end(), axis + rank);
    return at == order->end() ? kNotDistinct : at - order->begin() - rank;
  }

  void Visit(const Node& node) {
    if (node.outputs.empty() || node.outputs[0] == kNoValue) return;
    const ValueId out = node.outputs[0];
    const View view = FactsOf(node).view;
    plain_[out] = (view == View::kWhole || view == View::kTransposed) &&
                  Holds(plain_, node, 0);
    distinct_[out] = DistinctAxis(node);
    nonzero_[out] = plain_[out] || IsNonzero(node);
  }

  // Whether a node's numbers are almost surely nonzero. Inputs of the graph may
  // be zero (padding), and so may the output of a ReLU. A bias or a row of a
  // weight table is not.
  bool IsNonzero(const Node& node) const {
    const bool both = Holds(nonzero_, node, 0) && Holds(nonzero_, node, 1);
    switch (FactsOf(node).zeros) {
      case ZeroLaw::kUnspecified:
      case ZeroLaw::kMayBeZero:
        return false;
      case ZeroLaw::kAsInput:
        return Holds(nonzero_, node, 0);
      case ZeroLaw::kAsTable:
        return Holds(plain_, node, 0);
      case ZeroLaw::kAsBias:
        return Holds(plain_, node, 2);
      case ZeroLaw::kAsSum:
        return Holds(nonzero_, node, 0) || Holds(nonzero_, node, 1);
      case ZeroLaw::kAsProduct:
        return both;
      case ZeroLaw::kAsAffine:
        return both || Holds(plain_, node, 2);
      case ZeroLaw::kAsFactors:
        return IsFactor(node, 0) && IsFactor(node, 1);
      case ZeroLaw::kAsDividend:
        return IsFactor(node, 0);
    }
    return false;
  }

  // A nonzero constant is a factor that keeps numbers nonzero. Added to
  // something, it could make the sum zero.
  bool IsFactor(const Node& node, size_t input) const {
    if (Holds(nonzero_, node, input)) return true;
    const ValueId id =
        input < node.inputs.size() ? node.inputs[input] : kNoValue;
    if (id == kNoValue) return false;
    if (graph_.values()[id].role != Role::kConstant) return false;
    const std::vector<double>& numbers = graph_.values()[id].constant.values();
    return std::find(numbers.begin(), numbers.end(), 0) == numbers.end();
  }

  const Graph& graph_;
  // Weights as they are, or with permuted axes: each number of the weight
  // occurs once.
  std::vector<bool> plain_;
  std::vector<bool> nonzero_;
  std::vector<int64_t> distinct_;
};

}  // namespace

std::vector<int64_t> FindDistinct(const Graph& graph) {
  return DistinctValues(graph).Find();
}

}  // namespace rebasin
