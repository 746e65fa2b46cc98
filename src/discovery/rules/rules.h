// The rules, one file for each family of operators. Each rule states why
// permuting the axes that it ties permutes the output and changes nothing else.
// families.cmake generates AllRules() from the list of files.

#ifndef REBASIN_DISCOVERY_RULES_RULES_H_
#define REBASIN_DISCOVERY_RULES_RULES_H_

#include <span>
#include <vector>

#include "discovery/rule.h"

namespace rebasin {

std::vector<std::span<const NamedRule>> AllRules();

// Unifies an axis that is indexed by positions with the axis that they are
// positions along. Fixes the axis if `positions` is null.
void TieToPositions(RuleContext& context, const Expression& axis,
                    const Expression* positions);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_RULES_RULES_H_
