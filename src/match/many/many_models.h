// Many models made ready to be compared with each other and with their means.

#ifndef REBASIN_MATCH_MANY_MANY_MODELS_H_
#define REBASIN_MATCH_MANY_MANY_MODELS_H_

#include <memory>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "rebasin/checkpoint.h"
#include "rebasin/merge.h"
#include "rebasin/symmetry.h"

namespace rebasin {

struct ManyModels {
  std::shared_ptr<const Symmetry> symmetry;
  // Arithmetic tensors are F32, since means of narrower types are none. All
  // have the same tensors in the same order.
  std::vector<Checkpoint> models;

  size_t size() const { return models.size(); }
};

// The tensors that the symmetry describes; with `whole`, all. Throws
// Error(kUsage) for fewer than two models, Error(kMismatch) if they differ in
// structure or do not fit the symmetry, Error(kBadInput) if a value that is
// matched is not finite.
ManyModels PrepareMany(std::span<const Checkpoint> models,
                       std::shared_ptr<const Symmetry> symmetry, bool whole,
                       ThreadPool& pool);

// Copies in which the units are balanced (match/balance.h).
ManyModels BalancedMany(const ManyModels& models, ThreadPool& pool);

// The distance of each pair, n x n, row by row, over the matched tensors.
// Equal models have distance 0.
std::vector<double> PairDistances(const ManyModels& models, ThreadPool& pool);

// Each model moved by its alignment.
ManyModels Permuted(const ManyModels& models,
                    std::span<const Alignment> alignments, const Run& run);

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_MANY_MODELS_H_
