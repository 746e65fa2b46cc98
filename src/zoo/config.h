// What the config.json of a model says about its architecture.

#ifndef REBASIN_ZOO_CONFIG_H_
#define REBASIN_ZOO_CONFIG_H_

#include <filesystem>

#include "zoo/architecture.h"

namespace rebasin::zoo {

// The options that the file decides. Keys that the architecture does not know
// are ignored, as are those that are null. Throws Error(kBadInput) where a
// value is no number or not within the option's bounds, Error(kLimit) where the
// file is larger than any such file is, and Error(kMismatch) where it names
// another type of model.
Findings ReadConfig(const std::filesystem::path& path,
                    const Architecture& architecture);

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_CONFIG_H_
