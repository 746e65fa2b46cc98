// The result of a repair as text and JSON.

#ifndef REBASIN_CLI_REPAIRED_H_
#define REBASIN_CLI_REPAIRED_H_

#include <string>

#include "cli/console.h"
#include "rebasin/nn/repair.h"

namespace rebasin::cli {

std::string RepairText(const RepairResult& repaired);
Json RepairJson(const RepairResult& repaired);

// The values of --repair for help texts: "bn, repair, ...", and the same with
// what they do: "bn (recalculated BatchNorm statistics), ...".
std::string RepairNames();
std::string RepairsWithHelp();

// Returns whether a value of --repair needs data. Accepts "none" and "auto"
// too. Throws Error(kUsage) for unknown names.
bool RepairNeedsData(const std::string& method);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_REPAIRED_H_
