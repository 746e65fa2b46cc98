#include "permute/stream.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace rebasin {
namespace {

// Large enough to make system calls cheap, small enough that the chunks of a
// batch keep all threads busy.
constexpr int64_t kChunkBytes = int64_t{1} << 20;
constexpr int64_t kBatchBytes = int64_t{16} << 20;

int64_t Elements(const TensorPlan& plan) {
  int64_t size = 1;
  for (int64_t dim : plan.shape) size *= dim;
  return size;
}

int64_t BytesFor(const TensorPlan& plan, int64_t elements) {
  return (elements * DTypeBits(plan.dtype) + 7) / 8;
}

// Tensors with elements smaller than a byte are not split: chunks must be whole
// bytes.
int64_t ElementsPerChunk(const TensorPlan& plan) {
  const int bits = DTypeBits(plan.dtype);
  return bits % 8 == 0 ? kChunkBytes * 8 / bits : Elements(plan);
}

// Chunks that are filled together, and their bytes in sequence.
struct Batch {
  std::vector<Chunk> chunks;
  std::vector<size_t> ends;
  std::vector<std::byte> bytes;
  size_t size = 0;

  std::span<std::byte> chunk_bytes(size_t i) {
    const size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(bytes).subspan(begin, ends[i] - begin);
  }
};

class Stream {
 public:
  Stream(std::span<const TensorPlan> tensors, const StreamSteps& steps,
         ThreadPool& pool)
      : tensors_(tensors), steps_(steps), pool_(pool) {}

  void Run() {
    Batch filled, next;
    while (Plan(next)) {
      FillAndWrite(next, filled);
      std::swap(filled, next);
    }
    Write(filled);
  }

 private:
  // Selects the next chunks, up to the size of a batch; false if there are
  // none.
  bool Plan(Batch& batch) {
    batch.chunks.clear();
    batch.ends.clear();
    batch.size = 0;
    while (batch.size < kBatchBytes) {
      const auto chunk = NextChunk();
      if (!chunk) break;
      batch.chunks.push_back(*chunk);
      batch.size +=
          static_cast<size_t>(BytesFor(tensors_[chunk->tensor], chunk->count));
      batch.ends.push_back(batch.size);
    }
    if (batch.bytes.size() < batch.size) batch.bytes.resize(batch.size);
    return !batch.chunks.empty();
  }

  std::optional<Chunk> NextChunk() {
    while (tensor_ < tensors_.size()) {
      const TensorPlan& plan = tensors_[tensor_];
      const int64_t left = Elements(plan) - begin_;
      if (left > 0) {
        if (begin_ == 0 && steps_.prepare) steps_.prepare(tensor_);
        const Chunk chunk{tensor_, begin_,
                          std::min(left, ElementsPerChunk(plan))};
        begin_ += chunk.count;
        return chunk;
      }
      ++tensor_;
      begin_ = 0;
    }
    return std::nullopt;
  }

  // Writing is the first task, so that one thread writes while the others fill.
  void FillAndWrite(Batch& next, const Batch& filled) {
    pool_.For(static_cast<int64_t>(next.chunks.size()) + 1, [&](int64_t i) {
      if (i == 0) return Write(filled);
      const auto chunk = static_cast<size_t>(i - 1);
      steps_.fill(next.chunks[chunk], next.chunk_bytes(chunk));
    });
  }

  void Write(const Batch& batch) {
    if (batch.size == 0) return;
    steps_.write(std::span(batch.bytes).first(batch.size));
  }

  std::span<const TensorPlan> tensors_;
  const StreamSteps& steps_;
  ThreadPool& pool_;
  size_t tensor_ = 0;
  int64_t begin_ = 0;
};

}  // namespace

void StreamTensors(std::span<const TensorPlan> tensors,
                   const StreamSteps& steps, ThreadPool& pool) {
  Stream(tensors, steps, pool).Run();
}

}  // namespace rebasin
