#include "repair/fit_sites.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "graph/operator.h"
#include "repair/attributes.h"
#include "repair/layer_site.h"
#include "repair/operand.h"

namespace rebasin {
namespace {

ValueId WeightId(const Graph& graph, const std::optional<WeightAxis>& weight) {
  return weight ? graph.FindWeight(weight->weight) : kNoValue;
}

// A weight that is an operand as it is stored, and nowhere else.
ValueId DirectWeight(const GraphView& view, ValueId operand) {
  const bool direct = operand != kNoValue &&
                      view.graph.values()[operand].role == Role::kWeight &&
                      view.flow.Uses(operand) == 1;
  return direct ? operand : kNoValue;
}

std::optional<FoldedNorm> FoldedNormAt(const GraphView& view,
                                       const Node& node) {
  ValueId weights[4];
  for (size_t i = 0; i < 4; ++i) {
    weights[i] =
        WeightId(view.graph, OwnWeight(view.graph, view.flow, view.inference,
                                       node.inputs[i + 1], 0));
    if (weights[i] == kNoValue) return std::nullopt;
  }
  return FoldedNorm{.gain = weights[0],
                    .bias = weights[1],
                    .mean = weights[2],
                    .variance = weights[3],
                    .epsilon = AttributeOr<double>(node, "epsilon", 1e-5f)};
}

// The shape of a weight that is stored as the node uses it, or, for matrices,
// perhaps transposed.
bool IsStoredPlainly(const Shape& stored, const Shape& operand) {
  if (stored.size() == 2) return operand.size() == 2;
  return stored == operand;
}

// Gemm may scale its product or transpose its input.
bool HasPlainForm(const Node& node) {
  return AttributeOr<double>(node, "alpha", 1) == 1 &&
         AttributeOr<int64_t>(node, "transA", 0) == 0;
}

std::optional<FitSite> ProductSite(const GraphView& view, const Node& node) {
  const auto layer = LayerSite(view, node);
  if (!layer || !HasPlainForm(node) ||
      view.flow.DependsOnWeightsOnly(node.inputs[0])) {
    return std::nullopt;
  }
  FitSite site{.kind = FitSite::Kind::kProduct,
               .weight = WeightId(view.graph, layer->scaled[0]),
               .bias = WeightId(view.graph, layer->shifted),
               .channel_axis = layer->scaled[0].axis,
               .output = layer->value};
  if (!IsStoredPlainly(view.graph.values()[site.weight].shape,
                       view.ShapeOf(node.inputs[1]))) {
    return std::nullopt;
  }
  if (const Node* norm = OnlyBatchNorm(view, site.output)) {
    site.norm = FoldedNormAt(view, *norm);
    if (site.norm) site.output = norm->outputs[0];
  }
  return site;
}

// The shape of a norm's gains when they are broadcast to its output.
Shape GainShape(const GraphView& view, const Node& node, ValueId gains) {
  const Shape& stored = view.graph.values()[gains].shape;
  Shape shape(view.ShapeOf(node.outputs[0]).size(), 1);
  // Norms over the axes from a named one on have gains for these axes; others
  // for the channels on axis 1.
  if (DefaultAxis(node.op)) {
    std::copy(stored.rbegin(), stored.rend(), shape.rbegin());
  } else {
    shape[1] = stored[0];
  }
  return shape;
}

std::optional<FitSite> NormSite(const GraphView& view, const Node& node) {
  if (!Is(node, OperatorClass::kNormalization) ||
      !view.Known(node.outputs[0]) ||
      !view.flow.DependsOnInputs(node.inputs[0])) {
    return std::nullopt;
  }
  const ValueId gain = DirectWeight(view, node.inputs[1]);
  if (gain == kNoValue) return std::nullopt;
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2] != kNoValue;
  const ValueId bias = has_bias ? DirectWeight(view, node.inputs[2]) : kNoValue;
  if (has_bias && bias == kNoValue) return std::nullopt;
  return FitSite{.kind = FitSite::Kind::kFactors,
                 .weight = gain,
                 .bias = bias,
                 .factor_shape = GainShape(view, node, gain),
                 .output = node.outputs[0]};
}

// The operand of a two-operand node that is not `operand`.
ValueId OtherOperand(const Node& node, ValueId operand) {
  return node.inputs[node.inputs[0] == operand ? 1 : 0];
}

// A weight that is broadcast to a value without making it larger.
bool FitsInto(const GraphView& view, ValueId weight, ValueId value,
              ValueId result) {
  return view.Known(value) && view.Known(result) &&
         view.ShapeOf(value) == view.ShapeOf(result) &&
         view.graph.values()[weight].shape.size() <=
             view.ShapeOf(result).size();
}

// The term of a following sum.
void TakeAddedTerm(const GraphView& view, FitSite& site) {
  if (view.flow.Uses(site.output) != 1) return;
  const auto& users = view.flow.Users(site.output);
  if (users.empty() || users[0]->op != "Add") return;
  const ValueId term = DirectWeight(view, OtherOperand(*users[0], site.output));
  if (term == kNoValue || view.graph.values()[term].shape !=
                              view.graph.values()[site.weight].shape) {
    return;
  }
  site.bias = term;
  site.output = users[0]->outputs[0];
}

// Data times a weight: the gains of norms that exporters take apart, and the
// scales of residual branches.
std::optional<FitSite> GainSite(const GraphView& view, const Node& node) {
  if (node.op != "Mul") return std::nullopt;
  for (const size_t side : {0, 1}) {
    const ValueId gain = DirectWeight(view, node.inputs[side]);
    const ValueId data = node.inputs[1 - side];
    if (gain == kNoValue || !view.flow.DependsOnInputs(data) ||
        !FitsInto(view, gain, data, node.outputs[0])) {
      continue;
    }
    const Shape& stored = view.graph.values()[gain].shape;
    Shape shape(view.ShapeOf(node.outputs[0]).size(), 1);
    std::copy(stored.rbegin(), stored.rend(), shape.rbegin());
    FitSite site{.kind = FitSite::Kind::kFactors,
                 .weight = gain,
                 .factor_shape = shape,
                 .output = node.outputs[0]};
    TakeAddedTerm(view, site);
    return site;
  }
  return std::nullopt;
}

// Finds the sum that a site completes.
class SumSearch {
 public:
  explicit SumSearch(const GraphView& view)
      : view_(view), made_at_(view.graph.values().size(), -1) {
    const std::vector<Node>& nodes = view.graph.nodes();
    for (size_t n = 0; n < nodes.size(); ++n) {
      for (ValueId id : nodes[n].outputs) {
        if (id != kNoValue) made_at_[id] = static_cast<int64_t>(n);
      }
    }
  }

  void Complete(FitSite& site) const {
    ValueId value = site.output;
    std::vector<int64_t> axes;
    while (const Node* user = OnlyUser(value)) {
      if (user->op == "Transpose" && site.rest.empty()) {
        axes = Transposed(*user, axes);
      } else if (!IsCompleted(*user, value, site)) {
        return;
      } else {
        site.rest.push_back(OtherOperand(*user, value));
        site.target = user->outputs[0];
        site.axes = axes;
      }
      value = user->outputs[0];
    }
  }

 private:
  const Node* OnlyUser(ValueId value) const {
    const auto& users = view_.flow.Users(value);
    return users.size() == 1 && view_.flow.Uses(value) == 1 ? users[0]
                                                            : nullptr;
  }

  // Where each axis of the output is after another transposition.
  std::vector<int64_t> Transposed(const Node& node,
                                  const std::vector<int64_t>& before) const {
    const size_t rank = view_.ShapeOf(node.inputs[0]).size();
    std::vector<int64_t> from = TransposedAxes(node, rank);
    std::vector<int64_t> after(rank);
    for (size_t i = 0; i < rank; ++i) {
      const auto at = before.empty() ? static_cast<int64_t>(i) : before[i];
      after[i] = std::find(from.begin(), from.end(), at) - from.begin();
    }
    return after;
  }

  bool IsCompleted(const Node& user, ValueId value, const FitSite& site) const {
    if (user.op != "Add" || !user.guards.empty()) return false;
    const ValueId other = OtherOperand(user, value);
    return other != value && view_.Known(value) &&
           view_.Known(user.outputs[0]) &&
           view_.ShapeOf(user.outputs[0]) == view_.ShapeOf(value) &&
           made_at_[other] < static_cast<int64_t>(site.node);
  }

  const GraphView& view_;
  std::vector<int64_t> made_at_;  // by value: the index of the node
};

bool IsRectified(const GraphView& view, ValueId value) {
  const auto& users = view.flow.Users(value);
  // An output of the graph has more uses than users.
  return !users.empty() && std::ssize(users) == view.flow.Uses(value) &&
         std::all_of(users.begin(), users.end(),
                     [](const Node* user) { return user->op == "Relu"; });
}

std::optional<FitSite> SiteAt(const GraphView& view, const Node& node) {
  if (!node.guards.empty()) return std::nullopt;
  if (auto site = ProductSite(view, node)) return site;
  if (auto site = NormSite(view, node)) return site;
  return GainSite(view, node);
}

}  // namespace

std::vector<FitSite> FitSites(const Graph& graph) {
  const Study study(graph);
  const SumSearch sums(study.view);
  std::vector<FitSite> sites;
  std::vector<bool> folded(graph.values().size(), false);
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node& node = graph.nodes()[n];
    const ValueId result = node.outputs.empty() ? kNoValue : node.outputs[0];
    if (result == kNoValue || folded[result]) continue;
    auto site = SiteAt(study.view, node);
    if (!site) continue;
    folded[site->output] = true;
    site->node = n;
    site->target = site->output;
    sums.Complete(*site);
    site->rectified = IsRectified(study.view, site->target);
    sites.push_back(std::move(*site));
  }
  return sites;
}

}  // namespace rebasin
