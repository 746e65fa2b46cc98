// Reads the options of an architecture from a model's config.json.

#ifndef REBASIN_ZOO_CONFIG_H_
#define REBASIN_ZOO_CONFIG_H_

#include <filesystem>

#include "zoo/architecture.h"

namespace rebasin::zoo {

// Returns the options that the file sets. Unknown keys and null values are
// ignored. Throws Error(kBadInput) if a value is not a number or out of the
// option's range, Error(kLimit) if the file is implausibly large, and
// Error(kMismatch) if it names another type of model.
Findings ReadConfig(const std::filesystem::path& path,
                    const Architecture& architecture);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_CONFIG_H_
