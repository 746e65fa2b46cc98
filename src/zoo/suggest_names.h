// Suggests names for models that have the shapes of an architecture but other
// tensor names.

#ifndef REBASIN_ZOO_SUGGEST_NAMES_H_
#define REBASIN_ZOO_SUGGEST_NAMES_H_

#include <optional>
#include <span>

#include "rebasin/zoo.h"
#include "zoo/architecture.h"

namespace rebasin::zoo {

// Pairs the layers of the model, in the natural order of their names and in the
// order in which outputs fit inputs, with the layers of each architecture.
// Returns nothing if no pairing has equal shapes.
std::optional<NameSuggestion> SuggestNames(
    const Checkpoint& model, std::span<const Architecture> architectures);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_SUGGEST_NAMES_H_
