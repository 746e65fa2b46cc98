// Checks and warnings before a merge.

#ifndef REBASIN_MERGE_CHECKS_H_
#define REBASIN_MERGE_CHECKS_H_

#include <span>
#include <vector>

#include "rebasin/merge.h"

namespace rebasin {

// Returns the weight of each model: that of `options`, or equal weights. Throws
// Error(kUsage) for fewer than two models, or weights that are negative or do
// not sum to 1.
std::vector<double> MergeWeights(size_t models, const MergeOptions& options);

// Throws Error(kMismatch) unless all models have the same structure and fit
// their alignments.
void CheckModels(std::span<const MergeInput> models);

// Throws Error(kUsage) if a tensor is to be copied from a model that does not
// exist.
void CheckCopiedTensors(size_t models, const MergeOptions& options);

// For merges with a base: throws Error(kUsage) unless there are two models
// without weights, Error(kMismatch) if the base has other tensors or shapes.
void CheckDifferences(std::span<const MergeInput> models,
                      const MergeOptions& options);

// Throws Error(kMismatch) unless model and base have the same names and shapes,
// and arithmetic types in the same tensors, so that they can be subtracted.
void CheckBase(const Checkpoint& model, const Checkpoint& base);

// True if the tensor holds variances, by its name or by the options.
bool IsVariance(const std::string& name, const MergeOptions& options);

// Warns about averaged statistics, negative variances, and integer tensors that
// differ between the models.
void WarnBeforeMerge(std::span<const MergeInput> models,
                     const MergeOptions& options, const Run& run);

}  // namespace rebasin

#endif  // REBASIN_MERGE_CHECKS_H_
