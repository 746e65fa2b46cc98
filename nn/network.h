// Runs any graph on LibTorch.
//
// A network is a graph prepared for running; its weights are given with each
// run, so that one network serves every point between two models. Running is
// const and may be done from several threads at once, except with
// BatchNormMode::batch_statistics, which writes to the weights given.

#ifndef REBASIN_NN_NETWORK_H_
#define REBASIN_NN_NETWORK_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "nn/lowering.h"
#include "rebasin/graph.h"
#include "rebasin/nn/compute.h"

namespace rebasin::nn {

class Plan;

// Sees a value when it is computed, and returns what takes its place (the
// value itself, to leave it as it is).
struct ValueHook {
  ValueId value = kNoValue;
  std::function<at::Tensor(const at::Tensor&)> see;
};

// Sees a value as several models compute it on the same inputs.
struct ValueWatch {
  ValueId value = kNoValue;
  std::function<void(std::span<const at::Tensor> by_model)> see;
};

struct RunOptions {
  BatchNormMode batch_norm = {};
  std::span<const ValueHook> hooks = {};
};

class Network {
 public:
  explicit Network(std::shared_ptr<const Graph> graph,
                   Precision precision = Precision::kFloat32,
                   at::Device device = at::kCPU);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const Graph& graph() const { return *graph_; }
  const std::shared_ptr<const Graph>& shared_graph() const { return graph_; }
  // Of weights, inputs and all values.
  at::ScalarType float_type() const { return float_type_; }
  // Of the factors of products.
  at::ScalarType factor_type() const { return factor_type_; }
  at::Device device() const { return device_; }

  // One tensor for each output of the graph. `weights` are in the order of
  // graph().weights(), `inputs` in that of graph().inputs(). Gradients flow if
  // LibTorch's grad mode is on and a weight or input wants them. Throws
  // Error(kUnsupported) at what cannot be run, Error(kMismatch) if the shapes
  // of the inputs do not fit the graph.
  std::vector<at::Tensor> Run(std::span<const at::Tensor> weights,
                              std::span<const at::Tensor> inputs,
                              const RunOptions& options = {}) const;

  // Runs models in step, each given by its weights: what they compute at one
  // place is seen together while it is in the cache, and no value is kept
  // longer than a run keeps it.
  void RunInStep(std::span<const std::vector<at::Tensor>> models,
                 std::span<const at::Tensor> inputs,
                 std::span<const ValueWatch> watches) const;

 private:
  std::shared_ptr<const Plan> PlanFor(std::span<const at::Tensor> inputs) const;

  std::shared_ptr<const Graph> graph_;
  at::ScalarType float_type_, factor_type_;
  at::Device device_;
  // Shapes of the inputs -> the plan for them: a full batch, and a last one.
  mutable std::mutex mutex_;
  mutable std::map<std::vector<Shape>, std::shared_ptr<const Plan>> plans_;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_NETWORK_H_
