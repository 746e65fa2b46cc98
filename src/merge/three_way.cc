// Three-way merges: what models have changed since they were one.

#include "base/parallel.h"
#include "merge/checks.h"
#include "merge/same_tensor.h"
#include "rebasin/error.h"
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

void CheckBase(const Checkpoint& model, const Checkpoint& base) {
  bool any = false;
  for (const Tensor& tensor : base.tensors()) {
    const Tensor* now = model.Find(tensor.name);
    if (now == nullptr) continue;
    any = true;
    if (now->shape == tensor.shape && now->dtype == tensor.dtype) continue;
    throw Error(ErrorCode::kMismatch,
                "tensor " + Quoted(tensor.name) + " is " +
                    std::string(DTypeName(now->dtype)) + ShapeText(now->shape) +
                    " in the models and " +
                    std::string(DTypeName(tensor.dtype)) +
                    ShapeText(tensor.shape) + " in their base",
                "--base is the model that all of them come from");
  }
  if (any || model.tensors().empty()) return;
  throw Error(ErrorCode::kMismatch,
              "the base has no tensor in common with the models",
              "--base is the model that all of them come from");
}

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
