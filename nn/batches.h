// Data in batches, side by side: one thread a batch, one thread an operator, so
// that no sum depends on the number of threads.

#ifndef REBASIN_NN_BATCHES_H_
#define REBASIN_NN_BATCHES_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>

#include "base/parallel.h"
#include "rebasin/nn/data.h"
#include "rebasin/run.h"

namespace rebasin::nn {

struct BatchOptions {
  int64_t batch_size = 250;
  Normalization normalization = {};
  const char* stage = "examples";  // what progress is reported as
};

// Examples [batch, example_size] and labels, empty if there are none.
using BatchTask = std::function<void(int64_t index, const at::Tensor& examples,
                                     std::span<const int64_t> labels)>;

int64_t BatchCount(const Dataset& data, int64_t batch_size);

// Without gradients. Reports the examples done, one thread at a time.
void ForBatches(ThreadPool& pool, const Dataset& data,
                const BatchOptions& options, const Run& run,
                const BatchTask& task);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_BATCHES_H_
