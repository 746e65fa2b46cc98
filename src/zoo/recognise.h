// Recognises the architecture of a checkpoint.

#ifndef REBASIN_ZOO_RECOGNISE_H_
#define REBASIN_ZOO_RECOGNISE_H_

#include <optional>
#include <span>
#include <string>

#include "rebasin/checkpoint.h"
#include "rebasin/error.h"
#include "zoo/architecture.h"

namespace rebasin::zoo {

// Names and shapes fit no architecture.
class NoArchitectureFits : public Error {
 public:
  using Error::Error;
};

// If the model has the names and shapes of the architecture, returns the text
// of its options.
std::optional<std::string> FitExactly(const Architecture& architecture,
                                      const Checkpoint& model);

// Returns the architecture that has the model's names and shapes for some
// options. Throws NoArchitectureFits, an Error(kMismatch), if there is none,
// and Error(kMismatch) if there is more than one.
const Architecture& Recognise(const Checkpoint& model,
                              std::span<const Architecture> architectures);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_RECOGNISE_H_
