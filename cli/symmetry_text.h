// Symmetries for people to read: groups as trees, what is fixed and why.

#ifndef REBASIN_CLI_SYMMETRY_TEXT_H_
#define REBASIN_CLI_SYMMETRY_TEXT_H_

#include <string>

#include "cli/console.h"
#include "rebasin/discovery.h"
#include "rebasin/symmetry.h"

namespace rebasin::cli {

// The axes of a tensor, "[P0, 784]"; "" if the symmetry does not mention it.
std::string AxesText(const Symmetry& symmetry, const std::string& tensor);

// Groups, those within others indented below them, and the group's order.
std::string GroupTable(const Symmetry& symmetry);
Json GroupsJson(const Symmetry& symmetry);

// Scalings, one a line; "" if there are none.
std::string ScalingTable(const Symmetry& symmetry);
Json ScalingsJson(const Symmetry& symmetry);

// Which axes of weights are fixed, by reason.
std::string FixedTable(const Discovery& discovery);
Json FixedJson(const Discovery& discovery);

// The nodes that tie a group's axes together. Throws Error(kUsage) if there is
// no such group.
std::string WhyText(const Discovery& discovery, const std::string& group);
Json WhyJson(const Discovery& discovery, const std::string& group);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_SYMMETRY_TEXT_H_
