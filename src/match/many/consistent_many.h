// Cycle-consistent matching of many models: all get one common order of units,
// and the result does not depend on the order of the models.

#ifndef REBASIN_MATCH_MANY_CONSISTENT_MANY_H_
#define REBASIN_MATCH_MANY_CONSISTENT_MANY_H_

#include "base/parallel.h"
#include "match/many/many_models.h"
#include "rebasin/match.h"

namespace rebasin {

// MergeMany, and a second time after slower annealing; the spread is never
// larger than that of MergeMany. The first model is not permuted.
ManyResult MatchConsistentMany(const ManyModels& models,
                               const ManyOptions& options, const Run& run,
                               ThreadPool& pool);

// Frank-Wolfe over the doubly stochastic matrices of all models at once, from
// several soft starts, each followed by rounds of MergeMany. The first model is
// not permuted.
ManyResult MatchFrankWolfeMany(const ManyModels& models,
                               const ManyOptions& options, const Run& run,
                               ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_CONSISTENT_MANY_H_
