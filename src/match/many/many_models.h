// Models prepared for comparison with each other and with their means.

#ifndef REBASIN_MATCH_MANY_MANY_MODELS_H_
#define REBASIN_MATCH_MANY_MANY_MODELS_H_

#include <memory>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "rebasin/checkpoint.h"
#include "rebasin/match.h"
#include "rebasin/symmetry.h"

namespace rebasin {

struct ManyModels {
  std::shared_ptr<const Symmetry> symmetry;
  // Arithmetic tensors are F32, because a mean may not be representable in a
  // narrower type. All models have the same tensors in the same order.
  std::vector<Checkpoint> models;

  size_t size() const { return models.size(); }
};

// Prepares the tensors that the symmetry describes, or with `whole` all
// tensors. Throws Error(kUsage) for fewer than two models, Error(kMismatch) if
// they differ in structure or do not fit the symmetry, Error(kBadInput) if a
// matched value is not finite.
ManyModels PrepareMany(std::span<const Checkpoint> models,
                       std::shared_ptr<const Symmetry> symmetry, bool whole,
                       ThreadPool& pool);

// Returns copies with balanced units (match/scaled/balance.h).
ManyModels BalancedMany(const ManyModels& models, ThreadPool& pool);

// Returns the distance of each pair over the matched tensors, an n x n matrix
// row by row. Equal models have distance 0.
std::vector<double> PairDistances(const ManyModels& models, ThreadPool& pool);

// Returns the models, each permuted by its alignment.
ManyModels Permuted(const ManyModels& models,
                    std::span<const Alignment> alignments, const Run& run);

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_MANY_MODELS_H_
