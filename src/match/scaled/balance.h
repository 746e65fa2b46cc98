// Undoes the rescaling symmetry of positively homogeneous activations. If the
// incoming weights of a unit are multiplied by s and the outgoing ones divided
// by s, the function is the same, but weight matching would see a difference.

#ifndef REBASIN_MATCH_SCALED_BALANCE_H_
#define REBASIN_MATCH_SCALED_BALANCE_H_

#include "base/parallel.h"
#include "rebasin/checkpoint.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// Returns a float32 copy of the matched tensors, rescaled so that for every
// unit its weights on first axes (incoming) and on later axes (outgoing) have
// equal norm. Only groups without inner or outer groups are rescaled, and only
// units with weights on both sides. Use it for costs only, since the network
// may not be homogeneous.
Checkpoint Balanced(const Checkpoint& model, const Symmetry& symmetry,
                    ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_SCALED_BALANCE_H_
