// Each result of an If is that of one of its branches. So the axes of the
// result and of both branches are equal, and a freedom that only one branch has
// is lost.
//
// Branches whose results have different or unknown shapes do not get here: such
// a result has no known type, and all its axes are fixed.

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

// Labels of result number `o`, which no other result uses.
Labels OfResult(size_t o, int64_t rank) {
  constexpr int kMaxAxes = 64;
  Labels labels = InOrder(rank);
  for (int& label : labels) label += static_cast<int>(o) * kMaxAxes;
  return labels;
}

void If(RuleContext& context) {
  const size_t count = context.outputs();
  Labelling labelling;
  labelling.inputs.resize(context.inputs());
  labelling.outputs.resize(count);
  for (size_t o = 0; o < count; ++o) {
    // Rules do not see unused outputs, whose branches need no tie.
    if (context.output(o) == nullptr) continue;
    const auto rank = static_cast<int64_t>(context.output_shape(o).size());
    labelling.outputs[o] = OfResult(o, rank);
    labelling.inputs[1 + o] = labelling.outputs[o];
    labelling.inputs[1 + count + o] = labelling.outputs[o];
  }
  context.Apply(labelling);
}

constexpr NamedRule kRules[] = {{"If", If}};

}  // namespace

std::span<const NamedRule> ControlRules() { return kRules; }

}  // namespace rebasin
