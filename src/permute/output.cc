#include "permute/output.h"

#include <cassert>
#include <cstring>
#include <utility>

namespace rebasin {

std::vector<TensorPlan> PlanLike(const Checkpoint& model) {
  std::vector<TensorPlan> plan;
  plan.reserve(model.tensors().size());
  for (const Tensor& tensor : model.tensors()) {
    plan.push_back({tensor.name, tensor.dtype, tensor.shape});
  }
  return plan;
}

void CopyChunk(const PermutedTensor& input, const Chunk& chunk,
               std::span<std::byte> out) {
  std::vector<std::byte> scratch;
  const auto bytes = input.Read(chunk.begin, chunk.count, scratch);
  assert(bytes.size() == out.size());
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size());
}

MemoryOutput::MemoryOutput(std::vector<TensorPlan> plan)
    : plan_(std::move(plan)),
      bytes_(std::make_shared<std::vector<std::byte>>()) {
  size_t end = 0;
  for (const TensorPlan& tensor : plan_) {
    size_t bits = static_cast<size_t>(DTypeBits(tensor.dtype));
    for (int64_t dim : tensor.shape) bits *= static_cast<size_t>(dim);
    ends_.push_back(end += (bits + 7) / 8);
  }
  bytes_->resize(end);
}

void MemoryOutput::Append(std::span<const std::byte> bytes) {
  assert(written_ + bytes.size() <= bytes_->size());
  std::memcpy(bytes_->data() + written_, bytes.data(), bytes.size());
  written_ += bytes.size();
}

Checkpoint MemoryOutput::Finish(std::map<std::string, std::string> metadata) {
  assert(written_ == bytes_->size());
  std::vector<Tensor> tensors;
  for (size_t t = 0; t < plan_.size(); ++t) {
    const size_t begin = t == 0 ? 0 : ends_[t - 1];
    tensors.push_back(
        {.name = plan_[t].name,
         .dtype = plan_[t].dtype,
         .shape = plan_[t].shape,
         .bytes = std::span(*bytes_).subspan(begin, ends_[t] - begin),
         .owner = bytes_});
  }
  return Checkpoint(std::move(tensors), std::move(metadata));
}

}  // namespace rebasin
