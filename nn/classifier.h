// A network used as a classifier: one input for examples, and one output with a
// score for each class.

#ifndef REBASIN_NN_CLASSIFIER_H_
#define REBASIN_NN_CLASSIFIER_H_

#include <ATen/core/Tensor.h>

#include <memory>
#include <span>

#include "nn/network.h"
#include "nn/weights.h"
#include "rebasin/nn/compute.h"
#include "rebasin/nn/data.h"

namespace rebasin::nn {

// Throws Error(kUsage) if the device does not exist.
at::Device DeviceOf(const std::string& text);

class Classifier {
 public:
  // Checks that the graph can be run on the examples of `data`. Throws
  // Error(kMismatch) if shapes or classes do not fit or there are no examples.
  Classifier(std::shared_ptr<const Graph> graph, const Dataset& data,
             const ComputeOptions& options);

  const Network& network() const { return network_; }
  int64_t classes() const { return classes_; }
  // The batch size of graphs made for one size; 0 if any size is possible.
  int64_t fixed_batch() const { return fixed_batch_; }
  // `size`, or the fixed batch size if there is one.
  int64_t BatchSizeOr(int64_t size) const {
    return fixed_batch_ > 0 ? fixed_batch_ : size;
  }

  // The shape of the network's input for this batch size.
  Shape InputShape(int64_t batch) const;

  // The batch size with which the largest activation fits a core's cache;
  // somewhat more for small examples.
  int64_t CacheFittingBatch() const;

  // Returns the weights as the network needs them, cast and moved to the device
  // if necessary.
  std::vector<at::Tensor> Prepare(const Weights& weights) const;
  std::vector<at::Tensor> Prepare(std::span<const at::Tensor> weights) const;

  // Returns logits [batch, classes] in float32 or better. `examples` is [batch,
  // example_size], float32, on the CPU.
  at::Tensor Logits(std::span<const at::Tensor> weights,
                    const at::Tensor& examples,
                    const RunOptions& options = {}) const;

  // Runs models in lockstep over the examples, and passes their values to
  // watches.
  void Watch(std::span<const std::vector<at::Tensor>> models,
             const at::Tensor& examples,
             std::span<const ValueWatch> watches) const;

  // The examples in the shape of the input, padded if the batch size is fixed.
  at::Tensor InputFrom(const at::Tensor& examples) const;

 private:
  Network network_;
  Shape input_shape_;  // without the batch
  int64_t classes_ = 0;
  int64_t fixed_batch_ = 0;
};

// Throws Error(kMismatch) unless there are labels, all below `classes`.
void RequireLabels(const Dataset& data, int64_t classes);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_CLASSIFIER_H_
