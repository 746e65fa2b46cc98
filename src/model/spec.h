// Symmetries that a spec states instead of a graph.

#ifndef REBASIN_MODEL_SPEC_H_
#define REBASIN_MODEL_SPEC_H_

#include <string>

#include "rebasin/discovery.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// The symmetry that `text` stands for, a spec file or "mlp", with those of its
// scalings that are asked for. Throws Error(kUsage) if `text` is neither or
// there are no such scalings, and what Symmetry::Load and InferMlp throw.
Symmetry OpenSpec(const std::string& text, const Checkpoint& weights,
                  const DiscoverOptions& asked);

}  // namespace rebasin

#endif  // REBASIN_MODEL_SPEC_H_
