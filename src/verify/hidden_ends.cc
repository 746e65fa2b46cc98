#include "verify/hidden_ends.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/checked.h"
#include "base/random.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"
#include "verify/trial.h"
#include "verify/visibility.h"

namespace rebasin {
namespace {

// Makes the rest of the graph read other numbers in place of a value.
class Disturber {
 public:
  Disturber(const Graph& graph, const StaticPart& part)
      : graph_(graph),
        part_(part),
        values_(graph.values()),
        nodes_(graph.nodes()) {}

  Graph Disturb(ValueId id, const ValueType& type, uint64_t seed) {
    const ValueId other = AddDisturbed(id, type, seed);
    for (Node& node : nodes_) {
      if (!IsLate(node)) continue;
      std::replace(node.inputs.begin(), node.inputs.end(), id, other);
    }
    return Graph(std::move(values_), std::move(nodes_), graph_.outputs());
  }

 private:
  // Shrunk graphs keep the ids of values.
  bool IsLate(const Node& node) const {
    return std::any_of(
        node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
          return id != kNoValue &&
                 static_cast<size_t>(id) < part_.is_late.size() &&
                 part_.is_late[id];
        });
  }

  ValueId AddDisturbed(ValueId id, const ValueType& type, uint64_t seed) {
    if (type.kind == Kind::kBoolean) return Add("Not", {id});
    if (type.kind != Kind::kFloat) return id;
    Random random(seed);
    std::vector<double> factors(*CheckedProduct(type.shape));
    for (double& factor : factors) factor = 0.5 + random.Uniform();
    const ValueId noise = AddValue();
    values_[noise].role = Role::kConstant;
    values_[noise].shape = type.shape;
    values_[noise].constant =
        MakeArray(Kind::kFloat, type.shape, std::move(factors));
    return Add("Mul", {id, noise});
  }

  ValueId Add(const char* op, std::vector<ValueId> inputs) {
    const ValueId output = AddValue();
    nodes_.push_back({.op = op,
                      .name = "",
                      .inputs = std::move(inputs),
                      .outputs = {output},
                      .attributes = {}});
    return output;
  }

  ValueId AddValue() {
    values_.emplace_back();
    return static_cast<ValueId>(values_.size() - 1);
  }

  const Graph& graph_;
  const StaticPart& part_;
  std::vector<Value> values_;
  std::vector<Node> nodes_;
};

std::vector<Array> OutputsOf(const Graph& graph, const PermutedRun& run,
                             const Checkpoint& weights) {
  return Trial(graph, run.shapes, run.seed, run.choice).Run(WeightsOf(weights));
}

// The rest may fail on the other numbers, which is visible, too.
bool IsVisible(const Graph& disturbed, const PermutedRun& run,
               const std::vector<Array>& outputs) {
  const Trial trial(disturbed, run.shapes, run.seed, run.choice);
  try {
    const auto after = trial.Run(WeightsOf(run.before));
    return !(LargestRelative(trial.Compare(outputs, after)) <= run.threshold);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kBadInput) throw;
    return true;
  }
}

// The values that differ with the weights `after`.
std::set<ValueId> ChangedValues(const PermutedRun& run,
                                const std::vector<ValueId>& values,
                                const Checkpoint& after) {
  const Graph graph(run.graph.values(), run.graph.nodes(), values);
  const Trial trial(graph, run.shapes, run.seed, run.choice);
  const auto differences = trial.Compare(trial.Run(WeightsOf(run.before)),
                                         trial.Run(WeightsOf(after)));
  std::set<ValueId> moving;
  for (size_t i = 0; i < values.size(); ++i) {
    if (LargestRelative({differences[i]}) <= run.threshold) continue;
    moving.insert(values[i]);
  }
  return moving;
}

}  // namespace

std::set<ValueId> Ends::Hidden() const {
  std::set<ValueId> hidden;
  std::set_difference(moving.begin(), moving.end(), shown.begin(), shown.end(),
                      std::inserter(hidden, hidden.end()));
  return hidden;
}

void UpdateEnds(const PermutedRun& run, const Checkpoint& after,
                const StaticPart& part, Ends& ends) {
  if (part.ends.empty()) return;
  ends.moving.merge(ChangedValues(run, part.ends, after));
  const Inference inference = Infer(run.graph, run.shapes);
  const std::vector<Array> outputs = OutputsOf(run.graph, run, run.before);
  for (ValueId id : ends.Hidden()) {
    const Graph disturbed =
        Disturber(run.graph, part).Disturb(id, inference.types[id], run.seed);
    if (IsVisible(disturbed, run, outputs)) ends.shown.insert(id);
  }
}

std::vector<int> GroupsThatChange(
    const PermutedRun& run, const std::set<ValueId>& values,
    const std::shared_ptr<const Symmetry>& symmetry,
    const std::vector<int>& groups) {
  const std::vector<ValueId> list(values.begin(), values.end());
  std::vector<int> found;
  for (int group : groups) {
    const Checkpoint after =
        Permute(run.before, Rotation(symmetry, {group}), Run{.threads = 1});
    if (!ChangedValues(run, list, after).empty()) found.push_back(group);
  }
  return found;
}

}  // namespace rebasin
