// Every operator has the rule that its row promises, and every rule a row.

#include <gtest/gtest.h>

#include <string>

#include "discovery/rules/rules.h"
#include "graph/ops/ops.h"

namespace rebasin {
namespace {

TEST(Rules, AreThereForTheOperatorsWhoseRowsSaySo) {
  for (const std::span<const Operator> family : AllOperators()) {
    for (const Operator& op : family) {
      EXPECT_EQ(FindRule(op.name) != nullptr,
                op.facts.symmetry == SymmetryLaw::kRule)
          << op.name;
    }
  }
}

TEST(Rules, AreThereForKnownOperatorsOnly) {
  for (const std::span<const NamedRule> family : AllRules()) {
    for (const NamedRule& rule : family) {
      EXPECT_NE(FindOperator(rule.op), nullptr) << rule.op;
    }
  }
}

}  // namespace
}  // namespace rebasin
