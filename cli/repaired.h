// What a repair did, for people and for machines.

#ifndef REBASIN_CLI_REPAIRED_H_
#define REBASIN_CLI_REPAIRED_H_

#include <string>

#include "cli/console.h"
#include "rebasin/nn/repair.h"

namespace rebasin::cli {

std::string RepairText(const RepairResult& repaired);
Json RepairJson(const RepairResult& repaired);

// Whether the method that --repair names needs data. Throws Error(kUsage) if
// there is none of that name; "none" and "auto" are names, too.
bool RepairNeedsData(const std::string& method);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_REPAIRED_H_
