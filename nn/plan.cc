#include "nn/plan.h"

#include <algorithm>
#include <string>

#include "graph/apply.h"
#include "nn/tensors.h"
#include "rebasin/error.h"

namespace rebasin::nn {
namespace {

bool IsFolded(const Node& node, const Inference& inference) {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
    return id == kNoValue || inference.constants[id].has_value();
  });
}

bool AllKnown(const std::vector<const ValueType*>& types) {
  return std::all_of(types.begin(), types.end(), [](const ValueType* type) {
    return type == nullptr || type->known;
  });
}

}  // namespace

Plan::Plan(const Graph& graph, const std::vector<Shape>& input_shapes,
           at::ScalarType float_type, at::Device device)
    : inference_(Infer(graph, input_shapes)), known_(graph.values().size()) {
  for (const Node& node : graph.nodes()) {
    if (!IsFolded(node, inference_)) AddStep(node);
  }
  // Only values that a step reads or the graph returns become tensors.
  const auto make = [&](ValueId id) {
    if (id == kNoValue || known_[id].defined()) return;
    const MaybeArray& array = inference_.constants[id];
    if (array) known_[id] = FromArray(*array, float_type).to(device);
  };
  for (const Step& step : steps_) {
    for (ValueId id : step.node->inputs) make(id);
  }
  for (ValueId id : graph.outputs()) make(id);
  FindDying(graph);
}

void Plan::AddStep(const Node& node) {
  if (!node.guards.empty()) {
    throw Error(ErrorCode::kUnsupported,
                "cannot run the graph: " + NodeText(node) +
                    " runs on a condition that inputs decide");
  }
  Step step{.node = &node, .op = FindOperator(node.op)};
  if (step.op == nullptr) {
    throw Error(ErrorCode::kUnsupported,
                "cannot run the graph: " + NodeText(node) +
                    " is not an operator known here");
  }
  for (ValueId id : node.inputs) {
    const bool left_out = id == kNoValue;
    step.types.push_back(left_out ? nullptr : &inference_.types[id]);
    const bool has_value = !left_out && inference_.constants[id].has_value();
    step.arrays.push_back(has_value ? &*inference_.constants[id] : nullptr);
  }
  for (ValueId id : node.outputs) {
    step.outputs.push_back(id == kNoValue ? ValueType{} : inference_.types[id]);
  }
  // Shapes that depend on data are left to the reference function.
  const bool known =
      AllKnown(step.types) &&
      std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
        return id == kNoValue || inference_.types[id].known;
      });
  if (known) {
    const OpContext context(node, step.types, step.arrays);
    CheckRunnable(context, step.outputs);
    step.lowering = FindLowering(context);
  }
  steps_.push_back(std::move(step));
}

void Plan::FindDying(const Graph& graph) {
  std::vector<bool> lives(graph.values().size(), false);
  for (ValueId id : graph.outputs()) lives[id] = true;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    for (ValueId id : step->node->outputs) {
      // Never read: freed where it is computed.
      if (id != kNoValue && !lives[id]) step->dying.push_back(id);
    }
    for (ValueId id : step->node->inputs) {
      if (id == kNoValue || lives[id]) continue;
      lives[id] = true;
      step->dying.push_back(id);
    }
  }
}

}  // namespace rebasin::nn
