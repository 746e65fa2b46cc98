// The rules, one file a family. Each states the law of its operators: why
// permuting the axes it ties changes nothing but the order of the output.
// families.cmake writes AllRules() from the list of files.

#ifndef REBASIN_DISCOVERY_RULES_RULES_H_
#define REBASIN_DISCOVERY_RULES_RULES_H_

#include <span>
#include <vector>

#include "discovery/rule.h"

namespace rebasin {

std::vector<std::span<const NamedRule>> AllRules();

// Makes an axis that positions choose from the one that they are positions
// along; fixes it if they are no such positions (null).
void TieToPositions(RuleContext& context, const Expression& axis,
                    const Expression* positions);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_RULES_RULES_H_
