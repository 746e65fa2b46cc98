// OT-Fusion (Singh and Jaggi, 2020) by weights, to compare with.

#ifndef REBASIN_LAB_OT_FUSION_H_
#define REBASIN_LAB_OT_FUSION_H_

#include <memory>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"

namespace rebasin::lab {

// Aligns B with A layer by layer from the input to the output, as its authors
// run it for VGG11 ("wts", exact transport): the cost of two units is the
// Euclidean distance of their incoming weights, scaled to unit length, after
// the layers before were aligned. Between layers of equal width the exact
// transport is a permutation. Outputs stay in place.
//
// For chains of layers with biases or without. Groups must be in the order of
// layers; throws Error(kUnsupported) if no weight has a group on its first
// axis.
Alignment OtFusion(const Checkpoint& a, const Checkpoint& b,
                   const std::shared_ptr<const Symmetry>& symmetry);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_OT_FUSION_H_
