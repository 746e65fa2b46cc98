// Normalises the scales and signs of models.

#ifndef REBASIN_MATCH_SCALED_GAUGE_H_
#define REBASIN_MATCH_SCALED_GAUGE_H_

#include <memory>
#include <span>

#include "base/parallel.h"
#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// Returns the scales, by unpermuted units, that minimise the model's weights.
// Then for each unit the weights that its scale raises have the same norm as
// those that it lowers. The minimisation is convex in the logarithms of the
// scales, so models that differ only by scales become equal. Units without
// weights on one side keep their scale. Requires that the symmetry fits.
Alignment LeastScales(const Checkpoint& model,
                      std::shared_ptr<const Symmetry> symmetry,
                      ThreadPool& pool);

// Returns the signs, by unpermuted units, that make tensors of one axis
// positive if a single sign acts on them, such as the weights of a norm. Models
// that differ by these signs become equal. `scalings` selects the signs; others
// stay.
Alignment PositiveSigns(const Checkpoint& model,
                        std::shared_ptr<const Symmetry> symmetry,
                        std::span<const int> scalings);

// Returns the signs of B's unpermuted units that bring it closest to A: each
// unit gets the best sign for the current signs of the others, until none
// changes.
Alignment BestSigns(const Checkpoint& a, const Checkpoint& b,
                    std::shared_ptr<const Symmetry> symmetry, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_SCALED_GAUGE_H_
