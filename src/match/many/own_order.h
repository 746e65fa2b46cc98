// Many models in an order that follows from what they hold, so that the result
// is the same for any order in which they are given.

#ifndef REBASIN_MATCH_MANY_OWN_ORDER_H_
#define REBASIN_MATCH_MANY_OWN_ORDER_H_

#include <functional>
#include <vector>

#include "base/parallel.h"
#include "match/many/many_models.h"
#include "rebasin/merge.h"

namespace rebasin {

// The same alignments to each other, and none of the first model: only how the
// models lie to each other matters.
std::vector<Alignment> FirstAsItIs(std::vector<Alignment> alignments);

// What `match` finds for the models in that order, in the order given again and
// with the first model as it is.
ManyResult MatchInOwnOrder(
    const ManyModels& models, ThreadPool& pool,
    const std::function<ManyResult(const ManyModels&)>& match);

// Takes the other one in place of `best` if its spread is smaller, and counts
// its rounds in any case. Returns whether it was.
bool KeepBetter(ManyResult& best, ManyResult other);

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_OWN_ORDER_H_
