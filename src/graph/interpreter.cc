#include "graph/interpreter.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "graph/apply.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

class Interpreter {
 public:
  Interpreter(const Graph& graph, const Inference& inference,
              const WeightSource& weights)
      : graph_(graph),
        inference_(inference),
        weights_(weights),
        arrays_(graph.values().size()),
        last_use_(graph.values().size(), kNever) {
    FindLastUses();
  }

  void SetInput(ValueId id, const Array& array) { arrays_[id] = array; }

  std::vector<Array> Run() {
    for (size_t n = 0; n < graph_.nodes().size(); ++n) {
      Evaluate(graph_.nodes()[n]);
      ReleaseAfter(n);
    }
    std::vector<Array> outputs;
    for (ValueId id : graph_.outputs()) outputs.push_back(Get(id));
    return outputs;
  }

 private:
  static constexpr int64_t kNever = -1;

  // Values die after the last node that uses them; outputs never.
  void FindLastUses() {
    for (size_t n = 0; n < graph_.nodes().size(); ++n) {
      for (ValueId id : graph_.nodes()[n].inputs) {
        if (id != kNoValue) last_use_[id] = static_cast<int64_t>(n);
      }
    }
    for (ValueId id : graph_.outputs()) last_use_[id] = kNever;
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
    if (array.elements) return array;
    if (value.role == Role::kWeight) array = weights_(value);
    if (inference_.constants[id]) array = *inference_.constants[id];
    assert(array.elements);
    return array;
  }

  // Folded nodes need not run again.
  bool IsKnown(const Node& node) const {
    return std::all_of(
        node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
          return id == kNoValue || inference_.constants[id].has_value();
        });
  }

  void Evaluate(const Node& node) {
    if (IsKnown(node)) return;
    const Operator* op = FindOperator(node.op);
    if (op == nullptr) throw Cannot(node, "is not an operator known here");
    std::vector<ValueType> types(node.inputs.size());
    std::vector<const ValueType*> type_list(node.inputs.size(), nullptr);
    std::vector<const Array*> array_list(node.inputs.size(), nullptr);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoValue) continue;
      const Array& array = Get(node.inputs[i]);
      types[i] = KnownType(array.kind, array.shape);
      type_list[i] = &types[i];
      array_list[i] = &array;
    }
    const OpContext context(node, type_list, array_list);
    // With all values at hand, shapes that depend on data are known too.
    std::vector<ValueType> out_types = InferOutputs(*op, context);
    std::vector<Array> results = EvaluateOutputs(*op, context, out_types);
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      if (node.outputs[o] == kNoValue) continue;
      if (o >= results.size() || !results[o].elements) {
        throw Cannot(node, "has an output that cannot be computed here");
      }
      arrays_[node.outputs[o]] = std::move(results[o]);
    }
  }

  static Error Cannot(const Node& node, const std::string& why) {
    return Error(ErrorCode::kUnsupported,
                 "cannot run the graph: " + NodeText(node) + " " + why);
  }

  const Graph& graph_;
  const Inference& inference_;
  const WeightSource& weights_;
  std::vector<Array> arrays_;
  std::vector<int64_t> last_use_;
};

}  // namespace

std::vector<Array> RunGraph(const Graph& graph, const Inference& inference,
                            std::span<const Array> inputs,
                            const WeightSource& weights) {
  assert(inputs.size() == graph.inputs().size());
  Interpreter interpreter(graph, inference, weights);
  for (size_t i = 0; i < inputs.size(); ++i) {
    interpreter.SetInput(graph.inputs()[i], inputs[i]);
  }
  return interpreter.Run();
}

}  // namespace rebasin
