// A network as a classifier: one input that takes examples, one output that
// gives a score for each class.

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

// Throws Error(kUsage) if there is no such device.
at::Device DeviceOf(const std::string& text);

class Classifier {
 public:
  // Checks that the graph can be run on the examples of `data`. Throws
  // Error(kMismatch) if shapes or classes do not fit or there are no examples.
  Classifier(std::shared_ptr<const Graph> graph, const Dataset& data,
             const ComputeOptions& options);

  const Network& network() const { return network_; }
  int64_t classes() const { return classes_; }
  // The largest batch, 0 if any will do: some graphs are made for one size.
  int64_t fixed_batch() const { return fixed_batch_; }
  // That many examples, unless the graph is made for another number.
  int64_t BatchOr(int64_t size) const {
    return fixed_batch_ > 0 ? fixed_batch_ : size;
  }

  // Of the network's input, for so many examples.
  Shape InputShape(int64_t batch) const;

  // As many examples as keep the largest activation within a core's cache, and
  // some more where examples are small.
  int64_t GoodBatch() const;

  // As the network wants them: cast and moved to the device if need be.
  std::vector<at::Tensor> Prepare(const Weights& weights) const;
  std::vector<at::Tensor> Prepare(std::span<const at::Tensor> weights) const;

  // Logits [batch, classes] in float32 or better. `examples` is
  // [batch, example_size], float32, on the CPU.
  at::Tensor Logits(std::span<const at::Tensor> weights,
                    const at::Tensor& examples,
                    const RunOptions& options = {}) const;

  // Runs models in step over the examples, and shows what they compute.
  void Watch(std::span<const std::vector<at::Tensor>> models,
             const at::Tensor& examples,
             std::span<const ValueWatch> watches) const;

 private:
  // As the graph takes them; the batch filled up where its size is fixed.
  at::Tensor InputFrom(const at::Tensor& examples) const;

  Network network_;
  Shape input_shape_;  // without the batch
  int64_t classes_ = 0;
  int64_t fixed_batch_ = 0;
};

// Throws Error(kMismatch) unless there are labels, all below `classes`.
void RequireLabels(const Dataset& data, int64_t classes);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_CLASSIFIER_H_
