// Which architecture a checkpoint belongs to.

#ifndef REBASIN_ZOO_RECOGNISE_H_
#define REBASIN_ZOO_RECOGNISE_H_

#include <span>

#include "rebasin/checkpoint.h"
#include "zoo/architecture.h"

namespace rebasin::zoo {

// The architecture whose names and shapes the model has, for some values of
// its options. Throws Error(kMismatch) if there is none, or more than one.
const Architecture& Recognise(const Checkpoint& model,
                              std::span<const Architecture> architectures);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_RECOGNISE_H_
