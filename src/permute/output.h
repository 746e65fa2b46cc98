// The tensors and the bytes of new models whose values are copied, not
// computed.

#ifndef REBASIN_PERMUTE_OUTPUT_H_
#define REBASIN_PERMUTE_OUTPUT_H_

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "permute/permuted_tensor.h"
#include "permute/stream.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// Plans an output with the structure of `model`.
std::vector<TensorPlan> PlanLike(const Checkpoint& model);

void CopyChunk(const PermutedTensor& input, const Chunk& chunk,
               std::span<std::byte> out);

// Collects the bytes of the planned tensors, in order, into a checkpoint.
class MemoryOutput {
 public:
  explicit MemoryOutput(std::vector<TensorPlan> plan);

  const std::vector<TensorPlan>& plan() const { return plan_; }
  void Append(std::span<const std::byte> bytes);
  Checkpoint Finish(std::map<std::string, std::string> metadata);

 private:
  std::vector<TensorPlan> plan_;
  std::vector<size_t> ends_;
  std::shared_ptr<std::vector<std::byte>> bytes_;
  size_t written_ = 0;
};

}  // namespace rebasin

#endif  // REBASIN_PERMUTE_OUTPUT_H_
