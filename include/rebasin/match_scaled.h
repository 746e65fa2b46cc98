// Matching models modulo scalings: B's units are permuted and, where the
// symmetry has scalings, rescaled and flipped so that they come closest to A's.
//
// Scales: both models are rescaled to the smallest weights that they can have,
// which any two models that differ by scales share, and these are matched. The
// alignment then leads from B by way of the two into A's own scales; A stays as
// it is. Scaling multiplies element by element, so a merge of A and the aligned
// B is the same function as that of the rescaled models.
//
// Signs: see MatchWeightsScaled and MatchScaled.

#ifndef REBASIN_MATCH_SCALED_H_
#define REBASIN_MATCH_SCALED_H_

#include <functional>
#include <memory>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/match.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// By weights; signs are found together with the permutations, by matching
// models in which each unit with a sign stands twice, (w, -w); where several
// signs meet in one place all but one are fitted afterwards, as below. These
// models take twice the memory for each axis with signs. Reports tell of the
// rescaled models, and `units_moved` of permutations. MatchOptions::from counts
// with its signs, but not with its scales. Throws what MatchWeights throws.
MatchResult MatchWeightsScaled(const Checkpoint& a, const Checkpoint& b,
                               std::shared_ptr<const Symmetry> symmetry,
                               const MatchOptions& options = {},
                               const Run& run = {});

// Any way to match two models, given the symmetry without its scalings. The
// models are valid during the call only.
using PlainMatch =
    std::function<MatchResult(const Checkpoint& a, const Checkpoint& b,
                              const std::shared_ptr<const Symmetry>& symmetry)>;

// By any method; signs are fitted to the permutations that it finds, each the
// best while the others stay, until none changes.
MatchResult MatchScaled(const Checkpoint& a, const Checkpoint& b,
                        std::shared_ptr<const Symmetry> symmetry,
                        const PlainMatch& match, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_MATCH_SCALED_H_
