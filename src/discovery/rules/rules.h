// The rules, one file a family. Each states the law of its operators: why
// permuting the axes it ties changes nothing but the order of the output.

#ifndef REBASIN_DISCOVERY_RULES_RULES_H_
#define REBASIN_DISCOVERY_RULES_RULES_H_

#include <span>
#include <vector>

#include "discovery/rule.h"

namespace rebasin {

std::span<const NamedRule> ElementwiseRules();
std::span<const NamedRule> ProductRules();
std::span<const NamedRule> ConvolutionRules();
std::span<const NamedRule> NormalizationRules();
std::span<const NamedRule> ReductionRules();
std::span<const NamedRule> ReshapeRules();
std::span<const NamedRule> SelectionRules();
std::span<const NamedRule> StretchRules();
std::span<const NamedRule> RecurrentRules();
std::span<const NamedRule> ControlRules();
std::span<const NamedRule> SamplingRules();
std::span<const NamedRule> ChoiceRules();

// All of the above.
std::vector<std::span<const NamedRule>> AllRules();

// Makes an axis that positions choose from the one that they are positions
// along; fixes it if they are no such positions (null).
void TieToPositions(RuleContext& context, const Expression& axis,
                    const Expression* positions);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_RULES_RULES_H_
