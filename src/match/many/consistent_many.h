// Cycle-consistent n-way matches: all models into one common order of units, in
// an order of the models that does not depend on the caller's.

#ifndef REBASIN_MATCH_MANY_CONSISTENT_MANY_H_
#define REBASIN_MATCH_MANY_CONSISTENT_MANY_H_

#include "base/parallel.h"
#include "match/many/many_models.h"
#include "rebasin/merge.h"

namespace rebasin {

// MergeMany, and once more from models that were annealed more slowly: the
// spread is never larger than MergeMany's of the same models. The first model
// stays as it is.
ManyResult MatchConsistentMany(const ManyModels& models,
                               const ManyOptions& options, const Run& run,
                               ThreadPool& pool);

// Frank-Wolfe over the doubly stochastic matrices of all models at once, from
// several soft starts, and MergeMany's rounds after each. The first model stays
// as it is.
ManyResult MatchFrankWolfeMany(const ManyModels& models,
                               const ManyOptions& options, const Run& run,
                               ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_CONSISTENT_MANY_H_
