// Which architecture a checkpoint belongs to.

#ifndef REBASIN_ZOO_RECOGNISE_H_
#define REBASIN_ZOO_RECOGNISE_H_

#include <span>
#include <string>

#include "rebasin/checkpoint.h"
#include "zoo/architecture.h"

namespace rebasin::zoo {

// RecogniseModel among these.
std::string Recognise(const Checkpoint& model,
                      std::span<const Architecture> architectures);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_RECOGNISE_H_
