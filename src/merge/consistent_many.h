// The cycle-consistent n-way match: MergeMany, and once more from models that
// were annealed more slowly, in an order that does not depend on the caller's.

#ifndef REBASIN_MERGE_CONSISTENT_MANY_H_
#define REBASIN_MERGE_CONSISTENT_MANY_H_

#include "base/parallel.h"
#include "merge/many_models.h"
#include "rebasin/merge.h"

namespace rebasin {

// The spread is never larger than MergeMany's of the same models. The first
// model stays as it is.
ManyResult MatchConsistentMany(const ManyModels& models,
                               const ManyOptions& options, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MERGE_CONSISTENT_MANY_H_
