#include "nn/network.h"

#include <cassert>
#include <utility>

#include "nn/plan.h"
#include "nn/processor.h"
#include "nn/runner.h"

namespace rebasin::nn {
namespace {

// Plans are small, but inputs with always new shapes must not accumulate them.
constexpr size_t kMaxPlans = 16;

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
