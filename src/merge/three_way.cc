// Three-way merges: what models have changed since they were one.

#include "base/parallel.h"
#include "merge/checks.h"
#include "merge/same_tensor.h"
#include "rebasin/merge.h"

namespace rebasin {
namespace {

// The models whose tensor is not the base's, at most two of them.
std::vector<size_t> ChangedBy(std::span<const MergeInput> models,
                              const Tensor& tensor, ThreadPool& pool) {
  const PermutedTensor base(tensor, nullptr);
  std::vector<size_t> changed;
  for (size_t m = 0; m < models.size() && changed.size() < 2; ++m) {
    const PermutedTensor now(*models[m].model->Find(tensor.name),
                             models[m].alignment);
    if (!SameTensor(base, now, pool)) changed.push_back(m);
  }
  return changed;
}

}  // namespace

std::map<std::string, size_t> ChangedAlone(std::span<const MergeInput> models,
                                           const Checkpoint& base,
                                           int threads) {
  CheckModels(models);
  ThreadPool pool(threads);
  std::map<std::string, size_t> alone;
  for (const Tensor& tensor : base.tensors()) {
    if (models[0].model->Find(tensor.name) == nullptr) continue;
    const std::vector<size_t> changed = ChangedBy(models, tensor, pool);
    if (changed.size() == 1) alone[tensor.name] = changed[0];
  }
  return alone;
}

}  // namespace rebasin
