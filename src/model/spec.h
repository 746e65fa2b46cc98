// Symmetries from a spec instead of a graph.

#ifndef REBASIN_MODEL_SPEC_H_
#define REBASIN_MODEL_SPEC_H_

#include <string>

#include "rebasin/discovery.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// Returns the symmetry of `text`, a spec file or "mlp", with the scalings that
// `asked` requests. Throws Error(kUsage) if `text` is neither or has no such
// scalings, and what Symmetry::Load and InferMlp throw.
Symmetry OpenSpec(const std::string& text, const Checkpoint& weights,
                  const DiscoverOptions& asked);

}  // namespace rebasin

#endif  // REBASIN_MODEL_SPEC_H_
