// Recurrent cells: each gate is a function of W x + R h, unit by unit, and h
// has the same units as the gates. So the units may be permuted in all gates at
// once, on both axes of R and in the states. Each direction has a permutation
// of its own.

#include "discovery/rules/rules.h"

namespace rebasin {
namespace {

// The axis gates * units with the gates fixed.
Expression Gates(RuleContext& context, int slot, int64_t gates,
                 const Expression& units) {
  const std::vector<Expression> parts = {context.FixedAxis(slot, gates), units};
  return context.algebra().Flattened(parts);
}

// Ties a state or output of shape [directions, batch, units].
void TieState(RuleContext& context, size_t input, const Expression& direction,
              const Expression& batch, const Expression& units) {
  if (!context.Has(input)) return;
  context.Unify(context.axes(input)[0], direction);
  context.Unify(context.axes(input)[1], batch);
  context.Unify(context.axes(input)[2], units);
}

void Recurrent(RuleContext& context, int64_t gates) {
  const bool batch_first = context.op().Int("layout", 0) != 0;
  if (batch_first) return context.FixAll();
  const Axes& x = context.axes(0);
  const Axes& w = context.axes(1);
  const Axes& r = context.axes(2);
  const int64_t directions = context.shape(1)[0];
  const int64_t hidden = context.shape(2)[2];
  context.Fix(x[0]);  // time has an order
  context.Fix(w[0]);
  const Expression direction = w[0];
  const Expression resolved = context.algebra().Resolve(direction);
  const AtomId outer = directions > 1 ? resolved[0][0] : kNoAtom;
  const Expression units =
      hidden == 1 ? Expression{{}}
                  : Expression{{context.FreeSlot(0, hidden, outer)}};

  context.Unify(r[0], direction);
  context.Unify(w[1], Gates(context, 1, gates, units));
  context.Unify(r[1], Gates(context, 2, gates, units));
  context.Unify(w[2], x[2]);
  context.Unify(r[2], units);
  context.ReportSum(x[2]);
  if (context.Has(3)) {
    context.Unify(context.axes(3)[0], direction);
    context.Unify(context.axes(3)[1], Gates(context, 3, 2 * gates, units));
  }
  if (context.Has(4)) context.Fix(context.axes(4)[0]);
  TieState(context, 5, direction, x[1], units);
  TieState(context, 6, direction, x[1], units);
  if (context.Has(7)) {
    context.Unify(context.axes(7)[0], direction);
    context.Unify(context.axes(7)[1], Gates(context, 4, 3, units));
  }
  if (context.output(0) != nullptr) {
    context.SetAxes(0, {x[0], direction, x[1], units});
  }
  for (size_t o = 1; o < context.outputs(); ++o) {
    if (context.output(o) == nullptr) continue;
    context.SetAxes(o, {direction, x[1], units});
  }
}

void Lstm(RuleContext& context) { Recurrent(context, 4); }
void Gru(RuleContext& context) { Recurrent(context, 3); }
void Rnn(RuleContext& context) { Recurrent(context, 1); }

constexpr NamedRule kRules[] = {
    {"LSTM", Lstm},
    {"GRU", Gru},
    {"RNN", Rnn},
};

}  // namespace

std::span<const NamedRule> RecurrentRules() { return kRules; }

}  // namespace rebasin
