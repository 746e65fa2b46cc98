// The pipeline for writing models: tensors are cut into chunks, and threads
// fill the chunks of one batch while the previous batch is written.

#ifndef REBASIN_PERMUTE_STREAM_H_
#define REBASIN_PERMUTE_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// Elements [begin, begin + count) of one tensor.
struct Chunk {
  size_t tensor = 0;
  int64_t begin = 0;
  int64_t count = 0;
};

struct StreamSteps {
  // Called before the first chunk of each tensor; may use the pool.
  std::function<void(size_t tensor)> prepare;
  // Fills a chunk; called from many threads at once.
  std::function<void(const Chunk&, std::span<std::byte> out)> fill;
  // Takes the bytes of all tensors in order; one call at a time.
  std::function<void(std::span<const std::byte>)> write;
};

// Uses 32 MB. Chunks do not depend on the number of threads.
void StreamTensors(std::span<const TensorPlan> tensors,
                   const StreamSteps& steps, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_PERMUTE_STREAM_H_
