// Where the branches of an If meet, each result is that of one branch or of
// the other, element by element. So the axes of all three are the same: what
// holds in one branch only does not hold.
//
// Branches whose results have different shapes, or shapes that are not known,
// do not come here: such a result has no known type, and all is fixed.

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

// Labels of result number `o`.
Labels OfResult(size_t o, int64_t rank) {
  constexpr int kMostAxes = 64;
  Labels labels = InOrder(rank);
  for (int& label : labels) label += static_cast<int>(o) * kMostAxes;
  return labels;
}

void If(RuleContext& context) {
  const size_t count = context.outputs();
  Labelling labelling;
  labelling.inputs.resize(context.inputs());
  labelling.outputs.resize(count);
  for (size_t o = 0; o < count; ++o) {
    // Rules see no output that nobody uses; its branches tie nothing.
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
