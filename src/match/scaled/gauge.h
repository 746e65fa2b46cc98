// Scales and signs that suit the weights.

#ifndef REBASIN_MATCH_SCALED_GAUGE_H_
#define REBASIN_MATCH_SCALED_GAUGE_H_

#include <memory>
#include <span>

#include "base/parallel.h"
#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// The scales (of units where they are) that make the model's weights as small
// as they can be: for each unit, those that a scale raises and those that it
// lowers then have equal norms. The logarithms of the scales minimise a convex
// function, so all models that differ by scales get the same weights. Units
// without weights on either side keep theirs. Requires that the symmetry fits.
Alignment LeastScales(const Checkpoint& model,
                      std::shared_ptr<const Symmetry> symmetry,
                      ThreadPool& pool);

// The signs (of units where they are) that make positive what a sign alone acts
// on in tensors of one axis, such as the weights of a norm. Models that differ
// by these signs get the same weights, if there are such tensors. `scalings`:
// which signs; the others stay.
Alignment PositiveSigns(const Checkpoint& model,
                        std::shared_ptr<const Symmetry> symmetry,
                        std::span<const int> scalings);

// The signs of B's units (where they are) that bring it closest to A: best for
// each unit while the others stay, until none changes.
Alignment BestSigns(const Checkpoint& a, const Checkpoint& b,
                    std::shared_ptr<const Symmetry> symmetry, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_SCALED_GAUGE_H_
