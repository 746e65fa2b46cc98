// The weights of a graph in one flat array, with a view for each weight.
// Blending models and optimiser steps work on the flat array.

#ifndef REBASIN_NN_WEIGHTS_H_
#define REBASIN_NN_WEIGHTS_H_

#include <ATen/core/Tensor.h>

#include <memory>
#include <span>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

namespace rebasin::nn {

class Weights {
 public:
  // All zero.
  explicit Weights(std::shared_ptr<const Graph> graph,
                   at::ScalarType type = at::kFloat);
  // Copies the weights of a checkpoint. Throws Error(kMismatch) if one is
  // missing or has another shape, Error(kUnsupported) if its type is not
  // arithmetic.
  Weights(std::shared_ptr<const Graph> graph, const Checkpoint& model,
          at::ScalarType type = at::kFloat);

  // One dimension: trained weights first, then statistics.
  const at::Tensor& flat() const { return flat_; }
  int64_t trained() const { return trained_; }  // number of trained elements
  // Views, in the order of graph.weights().
  const std::vector<at::Tensor>& tensors() const { return tensors_; }
  // Whether each weight is a statistic, which data updates and gradients do
  // not.
  const std::vector<bool>& statistics() const { return statistics_; }

  Weights Clone() const;

  // Returns the checkpoint `like` with these weights, in its element types;
  // tensors that the graph does not use are kept. Throws Error(kBadInput) if a
  // number overflows its type.
  Checkpoint ToCheckpoint(const Checkpoint& like) const;
  // Returns only the weights, as float32 or float64.
  Checkpoint ToCheckpoint(std::map<std::string, std::string> metadata) const;

 private:
  std::shared_ptr<const Graph> graph_;
  at::Tensor flat_;
  int64_t trained_ = 0;
  std::vector<at::Tensor> tensors_;
  std::vector<bool> statistics_;
};

// For each of graph.weights(): whether it is a running mean or variance of
// BatchNormalization.
std::vector<bool> StatisticWeights(const Graph& graph);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_WEIGHTS_H_
