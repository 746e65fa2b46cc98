// The weights of a graph in one flat piece of memory, each a view into it:
// models can be blended, and optimisers can walk, without a thought about
// shapes.

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
  // Zeros.
  explicit Weights(std::shared_ptr<const Graph> graph,
                   at::ScalarType type = at::kFloat);
  // The numbers of a checkpoint. Throws Error(kMismatch) if it lacks a weight
  // or has it in another shape, Error(kUnsupported) if it is not of an
  // arithmetic type.
  Weights(std::shared_ptr<const Graph> graph, const Checkpoint& model,
          at::ScalarType type = at::kFloat);

  // One dimension; trained weights first, then statistics.
  const at::Tensor& flat() const { return flat_; }
  int64_t trained() const { return trained_; }  // elements of the first part
  // Views, in the order of graph.weights().
  const std::vector<at::Tensor>& tensors() const { return tensors_; }
  // Whether the weight is a statistic: moved by data, not by gradients.
  const std::vector<bool>& statistics() const { return statistics_; }

  Weights Clone() const;

  // The checkpoint `like` with these numbers in it, in its element types; what
  // the graph does not use is kept. Throws Error(kBadInput) if a number
  // overflows its type.
  Checkpoint ToCheckpoint(const Checkpoint& like) const;
  // The weights alone, as float32 (or float64).
  Checkpoint ToCheckpoint(std::map<std::string, std::string> metadata) const;

 private:
  std::shared_ptr<const Graph> graph_;
  at::Tensor flat_;
  int64_t trained_ = 0;
  std::vector<at::Tensor> tensors_;
  std::vector<bool> statistics_;
};

// By order of graph.weights(): the running means and variances of
// BatchNormalization.
std::vector<bool> StatisticWeights(const Graph& graph);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_WEIGHTS_H_
