#include "rebasin/merge.h"

#include <cassert>
#include <cstring>
#include <utility>

#include "base/parallel.h"
#include "merge/checks.h"
#include "merge/combine.h"
#include "merge/combine_changes.h"
#include "permute/output.h"
#include "permute/permuted_tensor.h"
#include "permute/stream.h"
#include "symmetry/ties.h"

namespace rebasin {
namespace {

// Merges into any output that takes the bytes of the tensors in order.
class Merger {
 public:
  Merger(std::span<const MergeInput> models, const MergeOptions& options,
         const rebasin::Run& run)
      : models_(models),
        options_(options),
        weights_(MergeWeights(models.size(), options)) {
    CheckModels(models);
    CheckCopiedTensors(models.size(), options);
    CheckDifferences(models, options);
    WarnBeforeMerge(models, options, run);
  }

  void Run(std::span<const TensorPlan> order, ThreadPool& pool,
           const std::function<void(std::span<const std::byte>)>& write) {
    std::vector<Recipe> recipes(order.size());
    const StreamSteps steps{
        .prepare =
            [&](size_t t) { recipes[t] = MakeRecipe(order[t].name, pool); },
        .fill =
            [&](const Chunk& chunk, std::span<std::byte> out) {
              Fill(recipes[chunk.tensor], chunk, out);
            },
        .write = write};
    StreamTensors(order, steps, pool);
  }

 private:
  // How one tensor of the result is computed. One input is copied; three inputs
  // without weights are ours, theirs and the base.
  struct Recipe {
    std::vector<PermutedTensor> inputs;
    std::vector<double> weights;
    bool variance = false;
  };

  Recipe MakeRecipe(const std::string& name, ThreadPool& pool) const {
    Recipe recipe;
    const auto add = [&](const MergeInput& input) {
      recipe.inputs.emplace_back(*input.model, name, input.alignment);
    };
    const auto taken = options_.copied.find(name);
    const bool mixes = taken == options_.copied.end();
    if (!IsArithmetic(models_[0].model->Find(name)->dtype)) {
      add(models_[mixes ? 0 : taken->second]);
      return recipe;
    }
    for (const MergeInput& input : models_) add(input);
    if (mixes && options_.base.model != nullptr) {
      add(options_.base);
      recipe.variance = IsVariance(name, options_);
    } else if (!mixes) {
      // The bits of one model; the others are still checked for values that are
      // not finite.
      recipe.weights.assign(models_.size(), 0.0);
      recipe.weights.at(taken->second) = 1;
    } else if (options_.method == MergeMethod::kSlerp) {
      recipe.weights = SlerpWeights(recipe.inputs, weights_[1], pool);
    } else {
      recipe.weights = weights_;
    }
    return recipe;
  }

  void Fill(const Recipe& recipe, const Chunk& chunk,
            std::span<std::byte> out) const {
    if (recipe.inputs.size() == 1) {
      CopyChunk(recipe.inputs[0], chunk, out);
      return;
    }
    if (recipe.weights.empty()) return FillChanges(recipe, chunk, out);
    Combine(recipe.inputs, recipe.weights, chunk.begin, chunk.count,
            {.allow_nonfinite = options_.allow_nonfinite}, out);
  }

  void FillChanges(const Recipe& recipe, const Chunk& chunk,
                   std::span<std::byte> out) const {
    CombineChanges({recipe.inputs[0], recipe.inputs[1], recipe.inputs[2]},
                   chunk.begin, chunk.count,
                   {.allow_nonfinite = options_.allow_nonfinite,
                    .variance = recipe.variance},
                   out);
  }

  std::span<const MergeInput> models_;
  const MergeOptions& options_;
  std::vector<double> weights_;
};

}  // namespace

Checkpoint Merge(std::span<const MergeInput> models,
                 const MergeOptions& options, const Run& run) {
  Merger merger(models, options, run);
  ThreadPool pool(run);
  MemoryOutput output(PlanLike(*models[0].model));
  merger.Run(output.plan(), pool,
             [&](std::span<const std::byte> bytes) { output.Append(bytes); });
  std::vector<Tensor> tensors =
      output.Finish(models[0].model->metadata()).tensors();
  RestoreTies(*models[0].model, tensors);
  return Checkpoint(std::move(tensors), models[0].model->metadata());
}

void MergeToFile(std::span<const MergeInput> models,
                 const std::filesystem::path& path, const MergeOptions& options,
                 const WriteOptions& write_options, const Run& run) {
  Merger merger(models, options, run);
  ThreadPool pool(run);
  const Checkpoint& first = *models[0].model;
  CheckpointWriter writer(path, PlanLike(first), first.metadata(),
                          write_options, run);
  merger.Run(writer.order(), pool,
             [&](std::span<const std::byte> bytes) { writer.Append(bytes); });
  for (const MergeInput& input : models) input.model->CheckUnchanged();
  if (options.base.model != nullptr) options.base.model->CheckUnchanged();
  writer.Commit();
}

}  // namespace rebasin
