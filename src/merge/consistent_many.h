// The cycle-consistent n-way match: Frank-Wolfe over all models and groups at
// once (match/consistent.h), from starts that tell units apart, then rounds of
// MergeMany up to a local optimum.

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
