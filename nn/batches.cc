#include "nn/batches.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "nn/threads.h"

namespace rebasin::nn {

int64_t BatchCount(const Dataset& data, int64_t batch_size) {
  return (data.size() + batch_size - 1) / batch_size;
}

void ForBatches(ThreadPool& pool, const Dataset& data,
                const BatchOptions& options, const Run& run,
                const BatchTask& task) {
  const int64_t size = options.batch_size;
  const BlasThreads serial_blas(1);
  std::mutex mutex;
  int64_t done = 0;
  pool.For(BatchCount(data, size), [&](int64_t index) {
    const c10::NoGradGuard no_gradients;
    const OperatorThreads one_thread(1);
    const int64_t begin = index * size;
    const int64_t count = std::min(size, data.size() - begin);
    at::Tensor examples = at::empty({count, data.example_size()});
    std::vector<int64_t> labels;
    ReadBatch(
        data, options.normalization, begin, count,
        {examples.data_ptr<float>(), static_cast<size_t>(examples.numel())},
        &labels);
    task(index, examples, labels);
    const std::lock_guard lock(mutex);
    run.Report(options.stage, done += count, data.size());
  });
}

}  // namespace rebasin::nn
