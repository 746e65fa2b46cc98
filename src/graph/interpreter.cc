#include "graph/interpreter.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "graph/apply.h"
#include "graph/loop.h"
#include "graph/sequences.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// Limit of the loop-body nodes that one run may evaluate, since a few bytes of
// a file can ask for any number of iterations. Detectors evaluate some
// thousand.
constexpr int64_t kMaxBodySteps = 1'000'000;

// The constants of a loop body, which is all that is known before it runs.
Inference ConstantsOf(const Graph& graph) {
  Inference inference;
  inference.constants.resize(graph.values().size());
  for (size_t id = 0; id < graph.values().size(); ++id) {
    const Value& value = graph.values()[id];
    if (value.role == Role::kConstant) inference.constants[id] = value.constant;
  }
  return inference;
}

class Interpreter {
 public:
  // `steps`: how many loop-body nodes may still be evaluated.
  Interpreter(const Graph& graph, const Inference& inference,
              const WeightSource& weights, const BranchChoice& choice,
              int64_t& steps)
      : graph_(graph),
        inference_(inference),
        weights_(weights),
        choice_(choice),
        steps_(steps),
        arrays_(graph.values().size()),
        last_use_(graph.values().size(), kNever) {
    FindLastUses();
  }

  void SetInput(ValueId id, const Array& array) { arrays_[id] = array; }

  std::vector<Array> Run() {
    for (size_t n = 0; n < graph_.nodes().size(); ++n) {
      const Node& node = graph_.nodes()[n];
      if (IsTaken(node)) Evaluate(node);
      ReleaseAfter(n);
    }
    std::vector<Array> outputs;
    for (ValueId id : graph_.outputs()) outputs.push_back(Get(id));
    return outputs;
  }

 private:
  static constexpr int64_t kNever = -1;

  // A value is released after the last node that uses it, an output never.
  void FindLastUses() {
    for (size_t n = 0; n < graph_.nodes().size(); ++n) {
      for (ValueId id : graph_.nodes()[n].inputs) {
        if (id != kNoValue) last_use_[id] = static_cast<int64_t>(n);
      }
    }
    for (ValueId id : graph_.outputs()) last_use_[id] = kNever;
    for (const Node& node : graph_.nodes()) {
      for (const Guard& guard : node.guards) {
        last_use_[guard.condition] = kNever;
      }
    }
  }

  void ReleaseAfter(size_t n) {
    for (ValueId id : graph_.nodes()[n].inputs) {
      if (id != kNoValue && last_use_[id] == static_cast<int64_t>(n)) {
        arrays_[id] = {};
      }
    }
  }

  const Array& Get(ValueId id) {
    const Value& value = graph_.values()[id];
    Array& array = arrays_[id];
    if (HasValue(array)) return array;
    if (value.role == Role::kWeight) array = weights_(value);
    if (inference_.constants[id]) array = *inference_.constants[id];
    if (!HasValue(array)) {
      throw Error(ErrorCode::kBadInput,
                  "cannot run the graph: value " + Quoted(value.name) +
                      " is used, but no node has computed it");
    }
    return array;
  }

  static bool HasValue(const Array& array) {
    return array.elements != nullptr || array.items != nullptr;
  }

  // Values that inference has computed need not be computed again.
  bool IsKnown(const Node& node) const {
    return std::all_of(
        node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
          return id == kNoValue || inference_.constants[id].has_value();
        });
  }

  // A condition computed in a branch that is not taken has no value, but then
  // the guard of that branch is checked first and fails.
  bool IsTaken(const Node& node) {
    return std::all_of(node.guards.begin(), node.guards.end(),
                       [&](const Guard& guard) { return Holds(guard, node); });
  }

  bool Holds(const Guard& guard, const Node& node) {
    return IsTrue(guard.condition, node) == guard.when;
  }

  bool IsTrue(ValueId condition, const Node& node) {
    const auto chosen = choice_.find(condition);
    if (chosen != choice_.end()) return chosen->second;
    const Array& array = Get(condition);
    if (array.size() == 1) return array.values()[0] != 0;
    throw CannotRun(node, "has a condition that is not one boolean");
  }

  // Copies the results of the branch that was taken; the other one has no
  // values.
  void EvaluateIf(const Node& node) {
    const size_t count = node.outputs.size();
    if (node.inputs.size() != 1 + 2 * count) {
      throw CannotRun(node,
                      "has branches whose results do not match its outputs");
    }
    const size_t first = IsTrue(node.inputs[0], node) ? 1 : 1 + count;
    for (size_t o = 0; o < count; ++o) {
      const ValueId from = node.inputs[first + o];
      if (node.outputs[o] != kNoValue) arrays_[node.outputs[o]] = Get(from);
    }
  }

  std::vector<Array> RunBody(const Graph& body, std::span<const Array> inputs) {
    steps_ -= 1 + static_cast<int64_t>(body.nodes().size());
    if (steps_ < 0) {
      throw Error(ErrorCode::kUnsupported,
                  "cannot run the graph: its loops take more than " +
                      std::to_string(kMaxBodySteps) + " steps");
    }
    const Inference constants = ConstantsOf(body);
    const BranchChoice nothing;
    Interpreter interpreter(body, constants, weights_, nothing, steps_);
    for (size_t i = 0; i < inputs.size(); ++i) {
      interpreter.SetInput(body.inputs()[i], inputs[i]);
    }
    return interpreter.Run();
  }

  void EvaluateLoop(const Node& node) {
    std::vector<Array> inputs;
    for (ValueId id : node.inputs) {
      inputs.push_back(id == kNoValue ? Array{} : Get(id));
    }
    const std::vector<Array> results =
        RunLoop(node, std::move(inputs),
                [&](const Graph& body, std::span<const Array> arrays) {
                  return RunBody(body, arrays);
                });
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      if (node.outputs[o] == kNoValue) continue;
      if (o >= results.size()) {
        throw CannotRun(node, "has more outputs than its body");
      }
      arrays_[node.outputs[o]] = results[o];
    }
  }

  std::vector<const Array*> InputsOf(const Node& node) {
    std::vector<const Array*> inputs;
    for (ValueId id : node.inputs) {
      inputs.push_back(id == kNoValue ? nullptr : &Get(id));
    }
    return inputs;
  }

  std::vector<Array> Apply(const Node& node) {
    const std::vector<const Array*> inputs = InputsOf(node);
    if (TakesSequences(node, inputs)) return {ApplyToSequences(node, inputs)};
    const Operator* op = FindOperator(node.op);
    if (op == nullptr) throw CannotRun(node, "is an unknown operator");
    return ApplyOperator(*op, node, inputs);
  }

  void Evaluate(const Node& node) {
    if (IsKnown(node)) return;
    if (node.op == "If") return EvaluateIf(node);
    if (node.body) return EvaluateLoop(node);
    std::vector<Array> results = Apply(node);
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      if (node.outputs[o] == kNoValue) continue;
      if (o >= results.size() || !HasValue(results[o])) {
        throw CannotRun(node, "has an output that this library cannot compute");
      }
      arrays_[node.outputs[o]] = std::move(results[o]);
    }
  }

  static Error CannotRun(const Node& node, const std::string& why) {
    return Error(ErrorCode::kUnsupported,
                 "cannot run the graph: " + NodeText(node) + " " + why);
  }

  const Graph& graph_;
  const Inference& inference_;
  const WeightSource& weights_;
  const BranchChoice& choice_;
  int64_t& steps_;
  std::vector<Array> arrays_;
  std::vector<int64_t> last_use_;
};

}  // namespace

std::vector<Array> RunGraph(const Graph& graph, const Inference& inference,
                            std::span<const Array> inputs,
                            const WeightSource& weights,
                            const BranchChoice& choice) {
  assert(inputs.size() == graph.inputs().size());
  int64_t steps = kMaxBodySteps;
  Interpreter interpreter(graph, inference, weights, choice, steps);
  for (size_t i = 0; i < inputs.size(); ++i) {
    interpreter.SetInput(graph.inputs()[i], inputs[i]);
  }
  std::vector<Array> outputs = interpreter.Run();
  for (const Array& output : outputs) {
    if (!output.items) continue;
    throw Error(ErrorCode::kUnsupported,
                "cannot run the graph: one of its outputs is a sequence");
  }
  return outputs;
}

}  // namespace rebasin
