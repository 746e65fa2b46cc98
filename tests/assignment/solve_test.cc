#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "assignment/costs.h"
#include "rebasin/error.h"
#include "support/targets.h"

namespace rebasin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int32_t> Identity(int64_t n) {
  std::vector<int32_t> identity(static_cast<size_t>(n));
  std::iota(identity.begin(), identity.end(), 0);
  return identity;
}

TEST(SolveAssignment, TheEmptyProblemHasTheEmptySolution) {
  const auto result = SolveAssignment({});
  EXPECT_TRUE(result.column_of_row.empty());
  EXPECT_EQ(result.value, 0);
  EXPECT_EQ(result.gap, 0);
}

TEST(SolveAssignment, ASingleCostIsChosen) {
  const float cost = -3;
  const auto result = SolveAssignment({&cost, 1, 1}, {.maximize = true});
  EXPECT_THAT(result.column_of_row, ElementsAre(0));
  EXPECT_EQ(result.value, -3);
}

TEST(SolveAssignment, RespectsTheStride) {
  const std::vector<float> costs = {5, 1, 9, 9,  //
                                    1, 5, 9, 9};
  EXPECT_THAT(SolveAssignment({costs.data(), 2, 4}).column_of_row,
              ElementsAre(1, 0));
}

TEST(SolveAssignment, AConstantMatrixGivesTheIdentity) {
  for (const int64_t n : {1, 2, 17, 300}) {
    for (const double value : {0.0, -7.25, 1e30}) {
      const Costs costs = Fill(n, [&](int64_t, int64_t) { return value; });
      for (const bool maximize : {false, true}) {
        const auto result =
            SolveAssignment(costs.View(), {.maximize = maximize});
        EXPECT_EQ(result.column_of_row, Identity(n));
        EXPECT_EQ(result.gap, 0);
      }
    }
  }
}

TEST(SolveAssignment, RowsThatTieTakeTheLowerColumnsInOrder) {
  // Row 1 wants column 0; the others do not care.
  const Costs costs = Fill(
      4, [](int64_t i, int64_t j) { return i == 1 && j == 0 ? -1.0 : 0.0; });
  EXPECT_THAT(SolveAssignment(costs.View()).column_of_row,
              ElementsAre(1, 0, 2, 3));
}

TEST(SolveAssignment, NamesTheFirstCostThatIsNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    Costs costs(40);
    costs.At(3, 37) = bad;
    costs.At(4, 1) = bad;
    try {
      SolveAssignment(costs.View());
      FAIL() << "expected an Error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      EXPECT_THAT(error.what(), HasSubstr("row 3, column 37"));
    }
  }
}

TEST(SolveAssignment, RejectsAStrideShorterThanARow) {
  const std::vector<float> costs(4);
  EXPECT_THROW(SolveAssignment({costs.data(), 2, 1}), Error);
  EXPECT_THROW(SolveAssignment({costs.data(), -1, 2}), Error);
}

TEST(SolveAssignment, IgnoresAWarmStartThatDoesNotFit) {
  Random random(1);
  const Costs costs = MakeCosts("normal", 30, &random);
  AssignmentDuals wrong_size, not_finite;
  wrong_size.columns.resize(29);
  not_finite.columns.assign(30, std::numeric_limits<double>::quiet_NaN());
  const auto expected = SolveAssignment(costs.View());
  for (const auto* warm_start : {&wrong_size, &not_finite}) {
    const auto result =
        SolveAssignment(costs.View(), {.warm_start = warm_start});
    EXPECT_EQ(result.column_of_row, expected.column_of_row);
  }
}

TEST(SolveAssignment, AbsurdWarmStartsCostTimeButNotTheOptimum) {
  Random random(2);
  const Costs costs = MakeCosts("rank two", 60, &random);
  const auto expected = SolveAssignment(costs.View());
  for (const double size : {1e-300, 1.0, 1e6, 1e300}) {
    AssignmentDuals absurd;
    for (int j = 0; j < 60; ++j) {
      absurd.columns.push_back(size * random.Normal());
    }
    const auto result = SolveAssignment(costs.View(), {.warm_start = &absurd});
    ASSERT_NO_FATAL_FAILURE(ExpectProved(costs, result, false));
    EXPECT_NEAR(result.value, expected.value, Tolerance(costs));
  }
}

TEST(SolveAssignment, FindsAPlantedPermutationInNoise) {
  Random random(3);
  const int64_t n = 200;
  const auto planted = random.Permutation(n);
  const Costs costs = Fill(n, [&](int64_t i, int64_t j) {
    return (planted[static_cast<size_t>(i)] == j ? 10 : 0) + random.Normal();
  });
  EXPECT_EQ(SolveAssignment(costs.View(), {.maximize = true}).column_of_row,
            planted);
}

TEST(SolveAssignment, EveryInstructionSetGivesTheSameBits) {
  Random random(4);
  for (const std::string& family : Families()) {
    const Costs costs = MakeCosts(family, 130, &random);
    const auto expected = SolveAssignment(costs.View());
    ForEachTarget([&] {
      const auto result = SolveAssignment(costs.View());
      EXPECT_EQ(result.column_of_row, expected.column_of_row) << family;
      EXPECT_EQ(result.duals.rows, expected.duals.rows);
      EXPECT_EQ(result.duals.columns, expected.duals.columns);
    });
  }
}

}  // namespace
}  // namespace rebasin
