// What is verified and warned about before models are merged.

#ifndef REBASIN_MERGE_CHECKS_H_
#define REBASIN_MERGE_CHECKS_H_

#include <span>
#include <vector>

#include "rebasin/merge.h"

namespace rebasin {

// The weight of each model: what the options say, or equal shares. Throws
// Error(kUsage) for weights that are no shares of one whole, or fewer than two
// models.
std::vector<double> MergeWeights(size_t models, const MergeOptions& options);

// Throws Error(kMismatch) unless all models have the first one's structure and
// fit their alignments.
void CheckModels(std::span<const MergeInput> models);

// Throws Error(kUsage) if tensors are taken from models that are not there.
void CheckTaken(size_t models, const MergeOptions& options);

// Throws Error(kUsage) if there is a base and anything but two models without
// weights, Error(kMismatch) if the base has other tensors or shapes.
void CheckDifferences(std::span<const MergeInput> models,
                      const MergeOptions& options);

// Throws Error(kMismatch) unless differences between the model and the base can
// be taken: the same names and shapes, numbers where the model has numbers.
void CheckBase(const Checkpoint& model, const Checkpoint& base);

// Whether the tensor holds variances, by its name or by the options.
bool IsVariance(const std::string& name, const MergeOptions& options);

// Tells of averaged statistics, negative variances, and integer tensors that
// differ between the models.
void WarnAbout(std::span<const MergeInput> models, const MergeOptions& options,
               const Run& run);

}  // namespace rebasin

#endif  // REBASIN_MERGE_CHECKS_H_
