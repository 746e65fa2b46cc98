// Every operator's row says every fact, or that it does not apply.

#include "graph/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/operator.h"
#include "graph/ops/ops.h"

namespace rebasin {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> Unspecified(const Facts& facts) {
  std::vector<std::string> names;
  const auto demand = [&](const char* name, bool said) {
    if (!said) names.push_back(name);
  };
  demand("class", facts.is != OperatorClass::kUnspecified);
  demand("symmetry", facts.symmetry != SymmetryLaw::kUnspecified);
  demand("degrees", facts.degrees != DegreeLaw::kUnspecified);
  demand("init", facts.init != WeightInit::kUnspecified);
  demand("count", facts.count != nullptr);
  demand("view", facts.view != View::kUnspecified);
  demand("kept", facts.kept.has_value());
  demand("marks", facts.marks != SizeMarks::kUnspecified);
  demand("written", facts.written != WrittenSizes::kUnspecified);
  demand("zeros", facts.zeros != ZeroLaw::kUnspecified);
  demand("distinct", facts.distinct != DistinctLaw::kUnspecified);
  demand("positions", facts.positions != PositionOutputs::kUnspecified);
  demand("commutes", facts.commutes != Commutes::kUnspecified);
  demand("lowered", facts.lowered != LoweredBy::kUnspecified);
  for (const OperatorInput& input : facts.inputs) {
    demand("role of an input", input.role != InputRole::kUnspecified);
  }
  return names;
}

template <typename Check>
void ForEachOperator(const Check& check) {
  for (const std::span<const Operator> family : AllOperators()) {
    for (const Operator& op : family) {
      SCOPED_TRACE(std::string(op.name));
      check(op, op.facts);
    }
  }
}

bool TakesParameters(const Facts& facts) {
  for (const OperatorInput& input : facts.inputs) {
    if (IsParameter(input.role)) return true;
  }
  return false;
}

TEST(OperatorFacts, AreSaidByEachRow) {
  ForEachOperator([](const Operator&, const Facts& facts) {
    EXPECT_THAT(Unspecified(facts), IsEmpty());
  });
}

TEST(OperatorFacts, AreMissedWhereARowLeavesThemOut) {
  EXPECT_THAT(Unspecified(Facts{}), SizeIs(14));
}

TEST(OperatorFacts, TellWhatEachInputIs) {
  ForEachOperator([](const Operator& op, const Facts& facts) {
    EXPECT_EQ(facts.inputs.empty(), op.most_inputs == 0);
  });
}

TEST(OperatorFacts, TellHowParametersStart) {
  ForEachOperator([](const Operator&, const Facts& facts) {
    if (!TakesParameters(facts)) return;
    EXPECT_NE(facts.init, WeightInit::kNone);
  });
}

TEST(OperatorFacts, GiveLayersAFactor) {
  ForEachOperator([](const Operator&, const Facts& facts) {
    EXPECT_EQ(facts.is == OperatorClass::kLayer,
              facts.FindInput(InputRole::kFactor).has_value());
  });
}

TEST(OperatorFacts, GiveChannelsToParametersOnly) {
  ForEachOperator([](const Operator&, const Facts& facts) {
    for (const OperatorInput& input : facts.inputs) {
      const bool channels =
          input.channel_axis != kNoAxis || input.output_axis != kNoAxis;
      EXPECT_TRUE(!channels || IsParameter(input.role));
    }
  });
}

TEST(OperatorFacts, GiveEveryAttributeThatSwapsAxesADefault) {
  ForEachOperator([](const Operator&, const Facts& facts) {
    for (const OperatorInput& input : facts.inputs) {
      if (input.swapped_by.empty()) continue;
      EXPECT_NE(facts.FindDefault(input.swapped_by), nullptr);
    }
  });
}

// Positions are along the axis that the node names.
TEST(OperatorFacts, GiveOperatorsWithPositionsAnAxis) {
  ForEachOperator([](const Operator& op, const Facts& facts) {
    const bool along = facts.positions != PositionOutputs::kNone ||
                       facts.FindInput(InputRole::kIndices).has_value();
    EXPECT_TRUE(!along || DefaultAxis(op.name).has_value());
  });
}

TEST(OperatorFacts, CallNothingAViewThatMovesNoElements) {
  ForEachOperator([](const Operator&, const Facts& facts) {
    if (facts.view == View::kNone) return;
    EXPECT_EQ(facts.marks, SizeMarks::kMoved);
  });
}

TEST(OperatorFacts, AreUnsaidOfOperatorsThatAreNotKnown) {
  EXPECT_EQ(FactsOf("Unheard").degrees, DegreeLaw::kUnspecified);
  EXPECT_EQ(FactsOf("Unheard").input(3).role, InputRole::kUnspecified);
}

TEST(OperatorFacts, LastInputStandsForThoseThatFollow) {
  EXPECT_EQ(FactsOf("Concat").input(7).role, InputRole::kData);
  EXPECT_EQ(FactsOf("Slice").input(4).role, InputRole::kSetting);
}

TEST(OperatorFacts, KnowTheParametersOfAConvolution) {
  const Facts& conv = FactsOf("Conv");
  EXPECT_EQ(conv.FindInput(InputRole::kFactor), 1u);
  EXPECT_EQ(conv.FindInput(InputRole::kBias), 2u);
  EXPECT_EQ(conv.input(1).channel_axis, 0);
  EXPECT_EQ(FactsOf("ConvTranspose").input(1).channel_axis, 1);
}

}  // namespace
}  // namespace rebasin
