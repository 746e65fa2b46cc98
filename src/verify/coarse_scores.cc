#include "verify/coarse_scores.h"

#include <memory>
#include <utility>
#include <vector>

#include "graph/operator.h"

namespace rebasin {
namespace {

// Added to a score and subtracted again. The unit in the last place of numbers
// of this size is 2^-26. Much larger scores keep their bits.
constexpr double kFar = 1.5 * (int64_t{1} << 26);

class Coarsener {
 public:
  explicit Coarsener(const Graph& graph)
      : graph_(graph), values_(graph.values()) {}

  std::optional<Graph> Run() {
    for (const Node& node : graph_.nodes()) AddNode(node);
    if (!changed_) return std::nullopt;
    return Graph(std::move(values_), std::move(nodes_), graph_.outputs());
  }

 private:
  void AddNode(Node node) {
    const Facts& facts = FactsOf(node);
    const auto input = facts.FindInput(InputRole::kScores);
    if (input && *input < node.inputs.size()) {
      // The node also returns the chosen scores.
      if (facts.positions == PositionOutputs::kAllButFirst) {
        LookUpChosenScores(node);
      }
      node.inputs[*input] = Rounded(node.inputs[*input], node.guards);
      changed_ = true;
    }
    if (node.body) {
      if (auto body = Coarsener(*node.body).Run()) {
        node.body = std::make_shared<const Graph>(*std::move(body));
        changed_ = true;
      }
    }
    nodes_.push_back(std::move(node));
  }

  // Replaces the chosen scores by the unrounded ones, which are looked up by
  // position.
  void LookUpChosenScores(Node& topk) {
    topk.outputs.resize(2, kNoValue);
    if (topk.outputs[0] == kNoValue) return;
    if (topk.outputs[1] == kNoValue) topk.outputs[1] = AddValue();
    const auto axis = topk.attributes.find("axis");
    Node chosen{.op = "GatherElements",
                .name = "",
                .inputs = {topk.inputs[0], topk.outputs[1]},
                .outputs = {topk.outputs[0]},
                .attributes = {},
                .guards = topk.guards};
    chosen.attributes["axis"] =
        axis == topk.attributes.end() ? Attribute(int64_t{-1}) : axis->second;
    nodes_.push_back(std::move(chosen));
    topk.outputs[0] = kNoValue;
  }

  ValueId Rounded(ValueId scores, const std::vector<Guard>& guards) {
    if (scores == kNoValue) return scores;
    const ValueId far = AddValue();
    values_[far].role = Role::kConstant;
    values_[far].constant = MakeArray(Kind::kFloat, {}, {kFar});
    const ValueId sum = AddOperation("Add", {scores, far}, guards);
    return AddOperation("Sub", {sum, far}, guards);
  }

  ValueId AddOperation(const char* op, std::vector<ValueId> inputs,
                       const std::vector<Guard>& guards) {
    const ValueId output = AddValue();
    nodes_.push_back({.op = op,
                      .name = "",
                      .inputs = std::move(inputs),
                      .outputs = {output},
                      .attributes = {},
                      .guards = guards});
    return output;
  }

  ValueId AddValue() {
    values_.emplace_back();
    return static_cast<ValueId>(values_.size() - 1);
  }

  const Graph& graph_;
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  bool changed_ = false;
};

}  // namespace

std::optional<Graph> WithCoarseScores(const Graph& graph) {
  return Coarsener(graph).Run();
}

}  // namespace rebasin
