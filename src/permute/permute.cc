// Permutes whole models, and compares permuted models.

#include <algorithm>

#include "base/parallel.h"
#include "permute/output.h"
#include "permute/permuted_tensor.h"
#include "permute/same_tensor.h"
#include "permute/stream.h"
#include "rebasin/alignment.h"
#include "symmetry/ties.h"

namespace rebasin {
namespace {

void CheckFits(const Checkpoint& model, const Alignment& alignment) {
  alignment.symmetry().CheckFits(model, {.allow_uncovered = true});
}

Tensor PermuteTensor(const PermutedTensor& source) {
  Tensor tensor = source.tensor();
  if (!source.moved()) return tensor;
  const auto bytes = std::make_shared<std::vector<std::byte>>();
  source.Read(0, tensor.size(), *bytes);
  tensor.bytes = *bytes;
  tensor.owner = bytes;
  return tensor;
}

}  // namespace

Checkpoint Permute(const Checkpoint& model, const Alignment& alignment,
                   const Run& run) {
  CheckFits(model, alignment);
  ThreadPool pool(run);
  std::vector<Tensor> tensors(model.tensors().size());
  pool.For(static_cast<int64_t>(tensors.size()), [&](int64_t i) {
    const auto t = static_cast<size_t>(i);
    tensors[t] = PermuteTensor(
        PermutedTensor(model, model.tensors()[t].name, &alignment));
  });
  RestoreTies(model, tensors);
  return Checkpoint(std::move(tensors), model.metadata());
}

void PermuteToFile(const Checkpoint& model, const Alignment& alignment,
                   const std::filesystem::path& path,
                   const WriteOptions& options, const Run& run) {
  CheckFits(model, alignment);
  ThreadPool pool(run);
  CheckpointWriter writer(path, PlanLike(model), model.metadata(), options,
                          run);
  std::vector<PermutedTensor> sources;
  for (const TensorPlan& plan : writer.order()) {
    sources.emplace_back(model, plan.name, &alignment);
  }
  const StreamSteps steps{
      .prepare = {},
      .fill =
          [&](const Chunk& chunk, std::span<std::byte> out) {
            CopyChunk(sources[chunk.tensor], chunk, out);
          },
      .write = [&](std::span<const std::byte> bytes) { writer.Append(bytes); }};
  StreamTensors(writer.order(), steps, pool);
  model.CheckUnchanged();
  writer.Commit();
}

bool SameContent(const Checkpoint& a, const Checkpoint& b,
                 const Alignment* alignment, const Run& run) {
  if (alignment != nullptr) CheckFits(b, *alignment);
  if (a.tensors().size() != b.tensors().size()) return false;
  ThreadPool pool(run);
  return std::all_of(
      a.tensors().begin(), a.tensors().end(), [&](const Tensor& tensor) {
        const Tensor* other = b.Find(tensor.name);
        return other != nullptr &&
               SameTensor(PermutedTensor(a, tensor.name, nullptr),
                          PermutedTensor(b, other->name, alignment), pool);
      });
}

}  // namespace rebasin
