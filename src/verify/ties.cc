#include "verify/ties.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "discovery/distinct.h"
#include "graph/flow.h"
#include "graph/operator.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"
#include "verify/trial.h"
#include "verify/visibility.h"

namespace rebasin {
namespace {

// Whether the operator chooses along an axis by its first input.
bool Chooses(const Node& node) {
  return RoleOfInput(node, 0) == InputRole::kScores;
}

int64_t AxisOf(const Node& node) {
  const auto found = node.attributes.find("axis");
  const auto* given = found == node.attributes.end()
                          ? nullptr
                          : std::get_if<int64_t>(&found->second);
  return given != nullptr ? *given : *DefaultAxis(node.op);
}

// `distinct`: see distinct.h. `inference`: null in the body of a loop, where
// nothing is known.
bool ChoosesAlong(int64_t distinct, const Node& node,
                  const Inference* inference) {
  const int64_t axis = AxisOf(node);
  if (distinct == kNotDistinct) return false;
  if (axis < 0 || inference == nullptr) return axis == distinct;
  const ValueType& type = inference->types[node.inputs[0]];
  return type.known &&
         axis == distinct + static_cast<int64_t>(type.shape.size());
}

bool Compares(const Node& node) { return Is(node, OperatorClass::kComparison); }

bool IsKnown(const Graph& graph, ValueId id, const Inference* inference) {
  return id == kNoValue || graph.values()[id].role == Role::kConstant ||
         (inference != nullptr && inference->constants[id].has_value());
}

// The inputs of a node that are scores. Besides choosing, a graph may compute
// ranks by comparing each score with all others. A comparison with a constant
// does not rank.
std::vector<ValueId> ScoresOf(const Graph& graph, const Node& node,
                              const Inference* inference) {
  const size_t count = Compares(node) ? 2 : Chooses(node) ? 1 : 0;
  if (node.inputs.size() < count) return {};
  std::vector<ValueId> scores(node.inputs.begin(), node.inputs.begin() + count);
  const bool known = std::any_of(scores.begin(), scores.end(), [&](ValueId id) {
    return IsKnown(graph, id, inference);
  });
  return known ? std::vector<ValueId>() : scores;
}

std::set<ValueId> ScoresThatMayTie(const Graph& graph,
                                   const Inference* inference) {
  const std::vector<int64_t> distinct = FindDistinct(graph);
  std::set<ValueId> scores;
  for (const Node& node : graph.nodes()) {
    for (ValueId id : ScoresOf(graph, node, inference)) {
      const bool differ = Compares(node)
                              ? distinct[id] != kNotDistinct
                              : ChoosesAlong(distinct[id], node, inference);
      if (!differ) scores.insert(id);
    }
  }
  return scores;
}

// Equal scores hide what earlier scores depend on. So scores that depend on
// other scores are made equal in a separate turn.
constexpr size_t kMaxTurns = 4;

std::vector<std::set<ValueId>> SplitIntoTurns(const Graph& graph,
                                              const std::set<ValueId>& scores) {
  std::vector<size_t> before(graph.values().size(), 0);
  for (const Node& node : graph.nodes()) {
    size_t most = 0;
    for (ValueId id : node.inputs) {
      if (id == kNoValue) continue;
      most = std::max(most, before[id] + (scores.contains(id) ? 1 : 0));
    }
    for (ValueId id : node.outputs) {
      if (id != kNoValue) before[id] = most;
    }
  }
  std::vector<std::set<ValueId>> turns;
  for (ValueId id : scores) {
    const size_t turn = std::min(before[id], kMaxTurns - 1);
    if (turns.size() <= turn) turns.resize(turn + 1);
    turns[turn].insert(id);
  }
  return turns;
}

bool MayTieInLoops(const Graph& graph) {
  return std::any_of(
      graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
        return node.body && (!ScoresThatMayTie(*node.body, nullptr).empty() ||
                             MayTieInLoops(*node.body));
      });
}

// The values that scores are set to: one for scores above their mean, and one
// for the others. The values are integers, since scores may be, and nonzero,
// since the chosen elements may be multiplied by their scores.
struct Levels {
  double above = 1;
  double below = 1;
};
constexpr Levels kLevels[] = {{1, 1}, {2, 1}};

class TieMaker {
 public:
  TieMaker(const Graph& graph, const Inference* inference, Levels levels)
      : graph_(graph),
        flow_(graph),
        inference_(inference),
        levels_(levels),
        values_(graph.values()),
        nodes_(graph.nodes()) {}

  // Makes all nodes that read one of `scores` read equal scores instead.
  Graph Make(const std::set<ValueId>& scores) {
    std::map<ValueId, ValueId> equal;
    for (ValueId id : scores) equal[id] = MakeEqual(id);
    for (size_t n = 0; n < graph_.nodes().size(); ++n) {
      for (ValueId& input : nodes_[n].inputs) {
        const auto found = equal.find(input);
        if (found != equal.end()) input = found->second;
      }
      if (nodes_[n].body) nodes_[n].body = MakeBody(*nodes_[n].body);
    }
    nodes_.insert(nodes_.end(), added_.begin(), added_.end());
    return Graph(std::move(values_), std::move(nodes_), graph_.outputs());
  }

 private:
  std::shared_ptr<const Graph> MakeBody(const Graph& body) const {
    TieMaker maker(body, nullptr, levels_);
    return std::make_shared<const Graph>(
        maker.Make(ScoresThatMayTie(body, nullptr)));
  }

  // The mean, and so which scores are above it, does not depend on their order.
  ValueId MakeEqual(ValueId scores) {
    const Kind kind =
        inference_ == nullptr ? Kind::kFloat : inference_->types[scores].kind;
    const std::vector<Guard> guards = GuardsOf(scores);
    const ValueId mean = Add("ReduceMean", {scores}, guards);
    const ValueId above = Add("Greater", {scores, mean}, guards);
    return Add(
        "Where",
        {above, Number(kind, levels_.above), Number(kind, levels_.below)},
        guards);
  }

  std::vector<Guard> GuardsOf(ValueId value) const {
    const Node* maker = flow_.Producer(value);
    return maker == nullptr ? std::vector<Guard>() : maker->guards;
  }

  ValueId Number(Kind kind, double number) {
    Value& value = values_.emplace_back();
    value.role = Role::kConstant;
    value.kind = kind;
    value.constant = MakeArray(kind, {}, {number});
    return static_cast<ValueId>(values_.size() - 1);
  }

  ValueId Add(std::string op, std::vector<ValueId> inputs,
              std::vector<Guard> guards) {
    values_.emplace_back();
    const auto output = static_cast<ValueId>(values_.size() - 1);
    Node node{.op = std::move(op),
              .name = "",
              .inputs = std::move(inputs),
              .outputs = {output},
              .attributes = {}};
    if (node.op == "ReduceMean") node.attributes["keepdims"] = int64_t{0};
    node.guards = std::move(guards);
    added_.push_back(std::move(node));
    return output;
  }

  const Graph& graph_;
  const Flow flow_;
  const Inference* inference_;
  Levels levels_;
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<Node> added_;
};

class TieSearch {
 public:
  explicit TieSearch(const TieRun& run)
      : run_(run), flow_(run.graph), inference_(Infer(run.graph, run.shapes)) {}

  std::set<int> Find(const std::vector<int>& groups) const {
    const std::set<ValueId> scores = ScoresThatMove(groups);
    if (scores.empty() && !MayTieInLoops(run_.graph)) return {};
    auto turns = SplitIntoTurns(run_.graph, scores);
    if (turns.empty()) turns.emplace_back();  // for those in loops
    std::set<int> found;
    for (const std::set<ValueId>& turn : turns) {
      for (const Levels& levels : kLevels) {
        const Graph graph =
            TieMaker(run_.graph, &inference_, levels).Make(turn);
        for (int group : FindIn(graph, groups)) found.insert(group);
      }
    }
    return found;
  }

 private:
  // The scores that change when the groups are moved. Other scores, like those
  // of a detector's boxes, choose the same elements whether they are equal or
  // not. Scores in a branch are included without a check, since the branch may
  // not run.
  std::set<ValueId> ScoresThatMove(const std::vector<int>& groups) const {
    std::set<ValueId> moving;
    std::vector<ValueId> compared;
    for (ValueId id : ScoresThatMayTie(run_.graph, &inference_)) {
      if (IsInBranch(id)) {
        moving.insert(id);
      } else {
        compared.push_back(id);
      }
    }
    if (compared.empty()) return moving;
    const Graph graph(run_.graph.values(), run_.graph.nodes(), compared);
    const Trial trial(graph, run_.shapes, run_.seed, run_.choice);
    const auto differences = Differences(trial, groups);
    for (size_t i = 0; i < compared.size(); ++i) {
      if (IsVisible({differences[i]})) moving.insert(compared[i]);
    }
    return moving;
  }

  bool IsInBranch(ValueId value) const {
    const Node* maker = flow_.Producer(value);
    return maker != nullptr && !maker->guards.empty();
  }

  std::vector<int> FindIn(const Graph& graph,
                          const std::vector<int>& groups) const {
    if (!Differs(graph, groups)) return {};
    std::vector<int> found;
    for (int group : groups) {
      if (Differs(graph, {group})) found.push_back(group);
    }
    return found.empty() ? groups : found;
  }

  // The graph may fail on equal scores (if they are indices into a table); then
  // nothing is shown.
  bool Differs(const Graph& graph, const std::vector<int>& groups) const {
    try {
      const Trial trial(graph, run_.shapes, run_.seed, run_.choice);
      return AllFinite(trial.Run(WeightsOf(run_.weights))) &&
             IsVisible(Differences(trial, groups));
    } catch (const Error&) {
      return false;
    }
  }

  // The differences of the outputs after rotating the groups.
  std::vector<OutputDifference> Differences(
      const Trial& trial, const std::vector<int>& groups) const {
    const Checkpoint turned = Permute(
        run_.weights, Rotation(run_.symmetry, groups), Run{.threads = 1});
    return trial.Compare(trial.Run(WeightsOf(run_.weights)),
                         trial.Run(WeightsOf(turned)));
  }

  // NaN counts as visible, since masked scores may be infinite.
  bool IsVisible(const std::vector<OutputDifference>& differences) const {
    return !(LargestRelative(differences) <= run_.threshold);
  }

  const TieRun& run_;
  const Flow flow_;
  Inference inference_;
};

}  // namespace

bool MayHaveTies(const Graph& graph, const std::vector<Shape>& shapes) {
  const Inference inference = Infer(graph, shapes);
  return !ScoresThatMayTie(graph, &inference).empty() || MayTieInLoops(graph);
}

std::set<int> FindTieBreakers(const TieRun& run,
                              const std::vector<int>& groups) {
  if (groups.empty()) return {};
  return TieSearch(run).Find(groups);
}

}  // namespace rebasin
