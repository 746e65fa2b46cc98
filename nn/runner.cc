#include "nn/runner.h"

#include <string>
#include <utility>

#include "graph/apply.h"
#include "nn/tensors.h"
#include "rebasin/error.h"

namespace rebasin::nn {
namespace {

Kind KindOf(const at::Tensor& tensor) {
  if (tensor.scalar_type() == at::kBool) return Kind::kBoolean;
  return at::isIntegralType(tensor.scalar_type(), false) ? Kind::kInteger
                                                         : Kind::kFloat;
}

// The message of LibTorch without its source location.
std::string FirstLine(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  return text.substr(0, text.find('\n'));
}

void RefuseGradients(const Step& step, std::span<const at::Tensor> inputs,
                     std::span<const ValueType> outputs) {
  bool wanted = false, carried = false;
  for (const at::Tensor& input : inputs) {
    wanted |= input.defined() && input.requires_grad();
  }
  for (const ValueType& output : outputs) {
    carried |= output.kind == Kind::kFloat;
  }
  if (!wanted || !carried) return;
  throw Error(ErrorCode::kUnsupported,
              "there is no gradient of " + NodeText(*step.node));
}

}  // namespace

void Runner::Run() {
  for (const Step& step : plan_.steps()) {
    RunStep(step);
    Forget(step.dying);
  }
}

void Runner::RunStep(const Step& step) {
  std::vector<at::Tensor> inputs(step.node->inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueId id = step.node->inputs[i];
    if (id != kNoValue) inputs[i] = values_[id];
  }
  std::vector<at::Tensor> outputs = step.lowering == nullptr
                                        ? RunReference(step, inputs)
                                        : RunLowering(step, inputs);
  for (size_t o = 0; o < step.node->outputs.size(); ++o) {
    const ValueId id = step.node->outputs[o];
    if (id == kNoValue) continue;
    if (o >= outputs.size()) continue;  // unused outputs
    values_[id] = std::move(outputs[o]);
    SeeHooks(id);
  }
}

std::vector<at::Tensor> Runner::RunLowering(
    const Step& step, std::span<const at::Tensor> inputs) {
  const OpContext context(*step.node, step.types, step.arrays);
  const at::TensorOptions floats =
      at::TensorOptions(network_.device()).dtype(network_.float_type());
  try {
    return step.lowering->run(OpCall(context, inputs, step.outputs, floats,
                                     network_.factor_type(),
                                     options_.batch_norm));
  } catch (const c10::Error& error) {
    throw Error(ErrorCode::kUnsupported,
                "cannot run " + NodeText(*step.node) + ": " + FirstLine(error));
  }
}

// Slow and exact. Gradients would be lost, so they must not be required.
std::vector<at::Tensor> Runner::RunReference(
    const Step& step, std::span<const at::Tensor> inputs) {
  std::vector<Array> arrays(inputs.size());
  std::vector<ValueType> types(inputs.size());
  std::vector<const Array*> array_list(inputs.size(), nullptr);
  std::vector<const ValueType*> type_list(inputs.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) continue;
    arrays[i] = ToArray(inputs[i], KindOf(inputs[i]));
    types[i] = KnownType(arrays[i].kind, arrays[i].shape);
    array_list[i] = &arrays[i];
    type_list[i] = &types[i];
  }
  const OpContext context(*step.node, type_list, array_list);
  const std::vector<ValueType> out_types = InferOutputs(*step.op, context);
  RefuseGradients(step, inputs, out_types);
  std::vector<at::Tensor> outputs;
  for (const Array& array : EvaluateOutputs(*step.op, context, out_types)) {
    if (!array.elements) {
      outputs.emplace_back();
      continue;
    }
    outputs.push_back(
        FromArray(array, network_.float_type()).to(network_.device()));
  }
  return outputs;
}

void Runner::SeeHooks(ValueId id) {
  for (const ValueHook& hook : options_.hooks) {
    if (hook.value == id) values_[id] = hook.see(values_[id]);
  }
}

}  // namespace rebasin::nn
