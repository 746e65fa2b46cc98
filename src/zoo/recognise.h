// Which architecture a checkpoint belongs to.

#ifndef REBASIN_ZOO_RECOGNISE_H_
#define REBASIN_ZOO_RECOGNISE_H_

#include <optional>
#include <span>
#include <string>

#include "rebasin/checkpoint.h"
#include "rebasin/error.h"
#include "zoo/architecture.h"

namespace rebasin::zoo {

// Says that names and shapes are those of no architecture.
class NoArchitectureFits : public Error {
 public:
  using Error::Error;
};

// Whether the names and shapes of the model are those of the architecture; the
// text of its options then.
std::optional<std::string> FitExactly(const Architecture& architecture,
                                      const Checkpoint& model);

// The architecture whose names and shapes the model has, for some values of
// its options. Throws NoArchitectureFits, an Error(kMismatch), if there is
// none, Error(kMismatch) if there is more than one.
const Architecture& Recognise(const Checkpoint& model,
                              std::span<const Architecture> architectures);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_RECOGNISE_H_
