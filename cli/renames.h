// New names for tensors, from arguments and files.

#ifndef REBASIN_CLI_RENAMES_H_
#define REBASIN_CLI_RENAMES_H_

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "rebasin/zoo.h"

namespace rebasin::cli {

using Renames = std::vector<std::pair<std::string, std::string>>;

// Parses the values of --rename, "OLD=NEW" each. Throws Error(kUsage).
Renames ParseRenames(const std::vector<std::string>& texts);

// Reads the file of --names: "OLD=NEW" on each line that is not empty and does
// not start with #. Throws Error(kUsage, kIo, kLimit).
Renames ReadRenames(const std::filesystem::path& path);

// Returns the text of such a file.
std::string NamesText(const NameSuggestion& suggestion);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_RENAMES_H_
