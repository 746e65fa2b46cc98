#include <ATen/ATen.h>

#include <vector>

#include "nn/batches.h"
#include "nn/classifier.h"
#include "nn/weights.h"
#include "rebasin/error.h"
#include "rebasin/nn/calibrate.h"
#include "rebasin/repair.h"

namespace rebasin {
namespace {

using nn::Weights;

using Tensors = std::vector<at::Tensor>;

// The statistics of one batch, with all BatchNorms using batch statistics.
// Batches are independent, so they can run in parallel. By weight; undefined
// for weights that are not statistics.
Tensors BatchStatistics(const nn::Classifier& classifier,
                        const Weights& weights, const Tensors& prepared,
                        const at::Tensor& examples) {
  Tensors own = prepared;
  Tensors statistics(own.size());
  for (size_t i = 0; i < own.size(); ++i) {
    if (weights.statistics()[i]) own[i] = statistics[i] = own[i].clone();
  }
  classifier.Logits(own, examples,
                    {.batch_norm = {.batch_statistics = true, .momentum = 1}});
  return statistics;
}

at::Tensor Mean(const std::vector<Tensors>& batches, size_t weight) {
  at::Tensor sum = at::zeros_like(batches[0][weight], at::kDouble);
  for (const Tensors& batch : batches) sum += batch[weight];
  return sum / static_cast<double>(batches.size());
}

}  // namespace

Checkpoint RecalculateBatchNorm(const std::shared_ptr<const Graph>& graph,
                                const Checkpoint& model, const Dataset& data,
                                const CalibrateOptions& options,
                                const Run& run) {
  if (!HasBatchNorm(*graph)) {
    throw Error(ErrorCode::kUnsupported,
                "cannot recalculate statistics: this network has no BatchNorm");
  }
  const nn::Classifier classifier(graph, data, options.compute);
  const Weights weights(graph, model);
  ThreadPool pool(run.threads);
  const Tensors prepared = classifier.Prepare(weights);
  const int64_t batch_size = classifier.BatchSizeOr(options.batch_size);
  std::vector<Tensors> batches(nn::BatchCount(data, batch_size));
  nn::ForBatches(
      pool, data,
      {.batch_size = batch_size,
       .normalization = options.normalization,
       .stage = "recalculating BatchNorm"},
      run,
      [&](int64_t index, const at::Tensor& examples, std::span<const int64_t>) {
        // A single example has no variance.
        if (examples.size(0) < 2) return;
        batches[index] =
            BatchStatistics(classifier, weights, prepared, examples);
      });
  std::erase_if(batches, [](const Tensors& batch) { return batch.empty(); });
  if (batches.empty()) {
    throw Error(ErrorCode::kMismatch,
                "cannot recalculate BatchNorm: it needs at least two examples");
  }
  for (size_t i = 0; i < prepared.size(); ++i) {
    if (weights.statistics()[i]) weights.tensors()[i].copy_(Mean(batches, i));
  }
  return weights.ToCheckpoint(model);
}

}  // namespace rebasin
