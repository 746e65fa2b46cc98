// Runs data in parallel batches: one thread for each batch, one thread for each
// operator, so that no sum depends on the number of threads.

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
  const char* stage = "examples";  // name of the stage in progress reports
};

// Receives examples [batch, example_size] and labels, which are empty if there
// are none.
using BatchTask = std::function<void(int64_t index, const at::Tensor& examples,
                                     std::span<const int64_t> labels)>;

int64_t BatchCount(const Dataset& data, int64_t batch_size);

// Runs without gradients. Reports the number of finished examples, from one
// thread at a time.
void ForBatches(ThreadPool& pool, const Dataset& data,
                const BatchOptions& options, const Run& run,
                const BatchTask& task);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_BATCHES_H_
