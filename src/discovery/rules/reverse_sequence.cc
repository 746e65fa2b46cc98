// The steps of a sequence are reordered by number, which fixes the time axis.
// Each sequence has its own length, so the batch axes of both inputs are tied.
// All other axes pass to the output, since the same steps are taken at each of
// their indices.

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

void ReverseSequence(RuleContext& context) {
  const OpContext& op = context.op();
  const int time = static_cast<int>(op.Int("time_axis", 0));
  const int batch = static_cast<int>(op.Int("batch_axis", 1));
  const Labels x = InOrder(op.rank(0));
  context.Apply({.inputs = {x, {batch}},
                 .outputs = {x},
                 .mixed = {time},
                 .fixed = {time}});
}

constexpr NamedRule kRules[] = {{"ReverseSequence", ReverseSequence}};

}  // namespace

std::span<const NamedRule> ReverseSequenceRules() { return kRules; }

}  // namespace rebasin
