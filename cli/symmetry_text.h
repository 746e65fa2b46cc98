// Symmetries as text: groups as trees, fixed axes and reasons.

#ifndef REBASIN_CLI_SYMMETRY_TEXT_H_
#define REBASIN_CLI_SYMMETRY_TEXT_H_

#include <string>

#include "cli/console.h"
#include "rebasin/discovery.h"
#include "rebasin/symmetry.h"

namespace rebasin::cli {

// The axes of a tensor, "[P0, 784]"; empty if the symmetry does not describe
// it.
std::string AxesText(const Symmetry& symmetry, const std::string& tensor);

// Groups, with inner groups indented, and the order of the symmetry group.
std::string GroupTable(const Symmetry& symmetry);
Json GroupsJson(const Symmetry& symmetry);

// One line for each scaling; empty if there are none.
std::string ScalingTable(const Symmetry& symmetry);
Json ScalingsJson(const Symmetry& symmetry);

// The fixed axes of weights, by reason.
std::string FixedTable(const Discovery& discovery);
Json FixedJson(const Discovery& discovery);

// The nodes that tie a group's axes together. Throws Error(kUsage) if the group
// does not exist.
std::string WhyText(const Discovery& discovery, const std::string& group);
Json WhyJson(const Discovery& discovery, const std::string& group);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_SYMMETRY_TEXT_H_
