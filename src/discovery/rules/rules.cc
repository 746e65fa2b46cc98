#include "discovery/rules/rules.h"

namespace rebasin {

std::vector<std::span<const NamedRule>> AllRules() {
  return {ElementwiseRules(),   ProductRules(),   ConvolutionRules(),
          NormalizationRules(), ReductionRules(), ReshapeRules(),
          SelectionRules(),     StretchRules(),   RecurrentRules(),
          ControlRules(),       SamplingRules()};
}

}  // namespace rebasin
