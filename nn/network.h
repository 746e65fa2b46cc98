// Runs any graph on LibTorch.
//
// A network is a graph prepared for running. Weights are passed to each run, so
// one network serves every point between two models. Runs are const and
// thread-safe, except with BatchNormMode::batch_statistics, which writes to the
// weights.

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

// Receives a value when it is computed, and returns its replacement (or the
// value itself).
struct ValueHook {
  ValueId value = kNoValue;
  std::function<at::Tensor(const at::Tensor&)> see;
};

// Receives a value as computed by several models on the same inputs.
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
  // The type of weights, inputs and all values.
  at::ScalarType float_type() const { return float_type_; }
  // The type of factors of products.
  at::ScalarType factor_type() const { return factor_type_; }
  at::Device device() const { return device_; }

  // Returns one tensor for each output of the graph. `weights` are in the order
  // of graph().weights(), `inputs` in that of graph().inputs(). Computes
  // gradients if LibTorch's grad mode is on and a weight or input requires
  // them. Throws Error(kUnsupported) for operators that cannot be run,
  // Error(kMismatch) if the shapes of the inputs do not fit the graph.
  std::vector<at::Tensor> Run(std::span<const at::Tensor> weights,
                              std::span<const at::Tensor> inputs,
                              const RunOptions& options = {}) const;

  // Runs several models, given by their weights, in lockstep: their values at
  // one place are available together while they are in the cache, and are freed
  // as soon as in a single run.
  void RunInStep(std::span<const std::vector<at::Tensor>> models,
                 std::span<const at::Tensor> inputs,
                 std::span<const ValueWatch> watches) const;

  // The plan for inputs of these shapes; kept for further runs.
  std::shared_ptr<const Plan> PlanFor(std::span<const at::Tensor> inputs) const;

 private:
  std::shared_ptr<const Graph> graph_;
  at::ScalarType float_type_, factor_type_;
  at::Device device_;
  // Plans by input shapes: one for full batches, one for the last batch.
  mutable std::mutex mutex_;
  mutable std::map<std::vector<Shape>, std::shared_ptr<const Plan>> plans_;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_NETWORK_H_
