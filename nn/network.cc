#include "nn/network.h"

#include <cassert>
#include <utility>

#include "graph/apply.h"
#include "nn/plan.h"
#include "nn/processor.h"
#include "nn/tensors.h"
#include "rebasin/error.h"

namespace rebasin::nn {
namespace {

// Plans are small, but inputs with always new shapes must not accumulate them.
constexpr size_t kMaxPlans = 16;

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

// One run of a plan.
class Runner {
 public:
  Runner(const Network& network, const Plan& plan, const RunOptions& options)
      : network_(network),
        plan_(plan),
        options_(options),
        values_(plan.known()) {}

  void Set(ValueId id, const at::Tensor& tensor) {
    values_[id] = tensor;
    SeeHooks(id);
  }

  void Run() {
    for (const Step& step : plan_.steps()) {
      RunStep(step);
      Forget(step.dying);
    }
  }

  // Runs one step of the plan and frees values that are no longer needed.
  void RunStep(const Step& step) {
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

  void Forget(std::span<const ValueId> ids) {
    for (ValueId id : ids) values_[id].reset();
  }

  const at::Tensor& value(ValueId id) const { return values_[id]; }

 private:
  std::vector<at::Tensor> RunLowering(const Step& step,
                                      std::span<const at::Tensor> inputs) {
    const OpContext context(*step.node, step.types, step.arrays);
    const at::TensorOptions floats =
        at::TensorOptions(network_.device()).dtype(network_.float_type());
    try {
      return step.lowering->run(OpCall(context, inputs, step.outputs, floats,
                                       network_.factor_type(),
                                       options_.batch_norm));
    } catch (const c10::Error& error) {
      throw Error(
          ErrorCode::kUnsupported,
          "cannot run " + NodeText(*step.node) + ": " + FirstLine(error));
    }
  }

  // Slow and exact. Gradients would be lost, so they must not be required.
  std::vector<at::Tensor> RunReference(const Step& step,
                                       std::span<const at::Tensor> inputs) {
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

  static void RefuseGradients(const Step& step,
                              std::span<const at::Tensor> inputs,
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

  void SeeHooks(ValueId id) {
    for (const ValueHook& hook : options_.hooks) {
      if (hook.value == id) values_[id] = hook.see(values_[id]);
    }
  }

  const Network& network_;
  const Plan& plan_;
  const RunOptions& options_;
  std::vector<at::Tensor> values_;
};

// Creates a run with its weights and inputs.
Runner Started(const Network& network, const Plan& plan,
               std::span<const at::Tensor> weights,
               std::span<const at::Tensor> inputs, const RunOptions& options) {
  const Graph& graph = network.graph();
  assert(weights.size() == graph.weights().size());
  assert(inputs.size() == graph.inputs().size());
  Runner runner(network, plan, options);
  for (size_t i = 0; i < weights.size(); ++i) {
    runner.Set(graph.weights()[i], weights[i]);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    runner.Set(graph.inputs()[i], inputs[i]);
  }
  return runner;
}

// Passes the models' values at these places to the watches.
void Show(std::span<const Runner> models, std::span<const ValueId> values,
          std::span<const ValueWatch> watches) {
  for (const ValueId id : values) {
    for (const ValueWatch& watch : watches) {
      if (watch.value != id) continue;
      std::vector<at::Tensor> seen;
      for (const Runner& model : models) seen.push_back(model.value(id));
      watch.see(seen);
    }
  }
}

std::vector<Shape> ShapesOf(std::span<const at::Tensor> tensors) {
  std::vector<Shape> shapes;
  for (const at::Tensor& tensor : tensors) {
    shapes.push_back(tensor.sizes().vec());
  }
  return shapes;
}

}  // namespace

Network::Network(std::shared_ptr<const Graph> graph, Precision precision,
                 at::Device device)
    : graph_(std::move(graph)),
      float_type_(precision == Precision::kFloat64 ? at::kDouble : at::kFloat),
      factor_type_(precision == Precision::kBFloat16 ? at::kBFloat16
                                                     : float_type_),
      device_(device) {
  AvoidBrokenTiles();
}

Network::~Network() = default;

std::shared_ptr<const Plan> Network::PlanFor(
    std::span<const at::Tensor> inputs) const {
  std::vector<Shape> shapes = ShapesOf(inputs);
  const std::lock_guard lock(mutex_);
  const auto found = plans_.find(shapes);
  if (found != plans_.end()) return found->second;
  auto plan =
      std::make_shared<const Plan>(*graph_, shapes, float_type_, device_);
  if (plans_.size() >= kMaxPlans) plans_.clear();
  return plans_.emplace(std::move(shapes), std::move(plan)).first->second;
}

std::vector<at::Tensor> Network::Run(std::span<const at::Tensor> weights,
                                     std::span<const at::Tensor> inputs,
                                     const RunOptions& options) const {
  const std::shared_ptr<const Plan> plan = PlanFor(inputs);
  Runner runner = Started(*this, *plan, weights, inputs, options);
  runner.Run();
  std::vector<at::Tensor> outputs;
  for (ValueId id : graph_->outputs()) outputs.push_back(runner.value(id));
  return outputs;
}

void Network::RunInStep(std::span<const std::vector<at::Tensor>> models,
                        std::span<const at::Tensor> inputs,
                        std::span<const ValueWatch> watches) const {
  const std::shared_ptr<const Plan> plan = PlanFor(inputs);
  const RunOptions options;
  std::vector<Runner> runners;
  for (const auto& weights : models) {
    runners.push_back(Started(*this, *plan, weights, inputs, options));
  }
  Show(runners, graph_->inputs(), watches);
  for (const Step& step : plan->steps()) {
    for (Runner& runner : runners) runner.RunStep(step);
    Show(runners, step.node->outputs, watches);
    for (Runner& runner : runners) runner.Forget(step.dying);
  }
}

}  // namespace rebasin::nn
