// New names for tensors, as arguments and files state them.

#ifndef REBASIN_CLI_RENAMES_H_
#define REBASIN_CLI_RENAMES_H_

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "rebasin/zoo.h"

namespace rebasin::cli {

using Renames = std::vector<std::pair<std::string, std::string>>;

// Of --rename: "OLD=NEW" each. Throws Error(kUsage).
Renames ParseRenames(const std::vector<std::string>& texts);

// Of the file that --names names: "OLD=NEW" on each line that is not empty and
// does not begin with #. Throws Error(kUsage, kIo, kLimit).
Renames ReadRenames(const std::filesystem::path& path);

// Such a file.
std::string NamesText(const NameSuggestion& suggestion);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_RENAMES_H_
