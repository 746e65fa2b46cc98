// Undoing the rescaling symmetry of positively homogeneous activations: a unit
// whose incoming weights are multiplied by s and outgoing ones divided by s
// computes the same function, but looks different to weight matching.

#ifndef REBASIN_MATCH_SCALED_BALANCE_H_
#define REBASIN_MATCH_SCALED_BALANCE_H_

#include "base/parallel.h"
#include "rebasin/checkpoint.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// A float32 copy of the tensors that take part in matching, rescaled so that
// for every unit of every group without inner or outer groups the weights on
// first axes (incoming) and on later axes (outgoing) have equal norm. Used for
// costs only: whether the network is homogeneous is not known here. Units
// without weights on either side keep their scale.
Checkpoint Balanced(const Checkpoint& model, const Symmetry& symmetry,
                    ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_SCALED_BALANCE_H_
