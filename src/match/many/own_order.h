// Orders models by their contents, so that the result does not depend on the
// order in which they are given.

#ifndef REBASIN_MATCH_MANY_OWN_ORDER_H_
#define REBASIN_MATCH_MANY_OWN_ORDER_H_

#include <functional>
#include <vector>

#include "base/parallel.h"
#include "match/many/many_models.h"
#include "rebasin/match.h"

namespace rebasin {

// Returns equivalent alignments with the first model unpermuted; only the
// relation between models matters.
std::vector<Alignment> RelativeToFirst(std::vector<Alignment> alignments);

// Runs `match` on the models in that order, and returns the result in the given
// order with the first model unpermuted.
ManyResult MatchInOwnOrder(
    const ManyModels& models, ThreadPool& pool,
    const std::function<ManyResult(const ManyModels&)>& match);

// Replaces `best` by `other` if its spread is smaller, and adds the rounds in
// any case. Returns whether it was replaced.
bool KeepBetter(ManyResult& best, ManyResult other);

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_OWN_ORDER_H_
