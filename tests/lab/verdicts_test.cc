#include "lab/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rebasin::lab {
namespace {

using testing::HasSubstr;

constexpr auto kYes = Support::kSupported;
constexpr auto kMixed = Support::kMixed;
constexpr auto kNo = Support::kNotSupported;

TEST(AtSizeTest, FavourableResultsStayAndNameTheSize) {
  const Claim claim = AtSize({"c", kYes, "Found."}, "1/8 of the width");
  EXPECT_EQ(claim.support, kYes);
  EXPECT_EQ(claim.finding, "Found. (Shortened: 1/8 of the width.)");
}

TEST(AtSizeTest, AllOthersAreNotTestedAtASmallerSize) {
  for (const Support support : {kMixed, kNo, Support::kNotTested}) {
    EXPECT_EQ(AtSize({"c", support, "Found."}, "10 of 100 epochs").support,
              Support::kNotTested);
  }
}

TEST(AtSizeTest, ThePapersSizeChangesNothing) {
  for (const Support support : {kYes, kMixed, kNo}) {
    const Claim claim = AtSize({"c", support, "Found."}, "");
    EXPECT_EQ(claim.support, support);
    EXPECT_EQ(claim.finding, "Found.");
  }
}

TEST(BarrierVanishesTest, GoesByTheBestMethod) {
  const auto verdict = [](double naive, double one, double two) {
    return BarrierVanishes("c", naive, {{"one", one}, {"two", two}}).support;
  };
  EXPECT_EQ(verdict(2, 0.5, 0.1), kYes);
  EXPECT_EQ(verdict(2, 0.9, 1.5), kMixed);
  EXPECT_EQ(verdict(2, 1.9, 2.5), kNo);
  EXPECT_EQ(verdict(0.1, 0.015, 3), kYes);  // nothing to speak of
}

TEST(BarrierVanishesTest, NothingToRemoveIsNoAnswer) {
  EXPECT_EQ(BarrierVanishes("c", 0.01, {{"one", 0}}).support,
            Support::kNotTested);
}

TEST(BarrierVanishesTest, SaysTheNumbers) {
  const Claim claim = BarrierVanishes("claimed", 2, {{"one", 0.125}});
  EXPECT_EQ(claim.claim, "claimed");
  EXPECT_THAT(claim.finding, HasSubstr("2 as the networks are"));
  EXPECT_THAT(claim.finding, HasSubstr("one 0.125"));
}

TEST(InThisOrderTest, AllowsTies) {
  const auto verdict = [](double a, double b, double c) {
    return InThisOrder("c", {{"a", a}, {"b", b}, {"c", c}}).support;
  };
  EXPECT_EQ(verdict(1, 2, 3), kYes);
  EXPECT_EQ(verdict(1, 0.99, 3), kYes);
  EXPECT_EQ(verdict(1, 3, 2), kMixed);
  EXPECT_EQ(verdict(3, 2, 1), kNo);
}

TEST(InThisOrderTest, NegligibleDifferencesAreTies) {
  const auto verdict = [](double a, double b, double negligible) {
    return InThisOrder("c", {{"a", a}, {"b", b}, {"c", 1}}, 0.02, negligible)
        .support;
  };
  EXPECT_EQ(verdict(0.004, 0.003, 0), kNo);
  EXPECT_EQ(verdict(0.004, 0.003, 0.02), kYes);
  EXPECT_EQ(verdict(0.04, 0.003, 0.02), kNo);
}

TEST(FallsTest, MustHalveAndNotRise) {
  const auto verdict = [](const std::vector<double>& y) {
    return Falls("c", "x", {1, 2, 3}, y).support;
  };
  EXPECT_EQ(verdict({4, 3, 1}), kYes);
  EXPECT_EQ(verdict({4, 4.3, 1}), kYes);
  EXPECT_EQ(verdict({4, 5, 1}), kMixed);
  EXPECT_EQ(verdict({4, 3, 3}), kMixed);
  EXPECT_EQ(verdict({4, 3, 5}), kNo);
}

TEST(LowerThanAllTest, CountsThoseAbove) {
  const auto verdict = [](double one) {
    return LowerThanAll("c", {"one", one}, {{"a", 2}, {"b", 4}}).support;
  };
  EXPECT_EQ(verdict(1), kYes);
  EXPECT_EQ(verdict(3), kMixed);
  EXPECT_EQ(verdict(5), kNo);
}

TEST(LowerThanAllTest, SaysTheEndsOfALongList) {
  std::vector<NamedNumber> others;
  for (int i = 1; i <= 9; ++i) {
    others.push_back({"n" + std::to_string(i), static_cast<double>(i)});
  }
  EXPECT_THAT(LowerThanAll("c", {"one", 0}, others).finding,
              HasSubstr("against 9 from n1 1 to n9 9."));
  others.pop_back();
  EXPECT_THAT(LowerThanAll("c", {"one", 0}, others).finding,
              HasSubstr("n1 1, n2 2"));
}

TEST(OnParTest, AllowsAQuarterMore) {
  const auto verdict = [](double one) {
    return OnPar("c", {"one", one}, {"other", 0.1}).support;
  };
  EXPECT_EQ(verdict(0.05), kYes);
  EXPECT_EQ(verdict(0.124), kYes);
  EXPECT_EQ(verdict(0.19), kMixed);
  EXPECT_EQ(verdict(0.21), kNo);
  EXPECT_EQ(OnPar("c", {"one", 0.001}, {"other", 0}).support, kYes);
  EXPECT_EQ(OnPar("c", {"one", 0.003}, {"other", 0}).support, kNo);
}

TEST(AllAboveTest, CountsThoseAbove) {
  const auto verdict = [](double bound) {
    return AllAbove("c", {{"a", 2}, {"b", 4}}, bound).support;
  };
  EXPECT_EQ(verdict(1), kYes);
  EXPECT_EQ(verdict(3), kMixed);
  EXPECT_EQ(verdict(5), kNo);
}

TEST(NoneAboveTest, CountsThoseAbove) {
  const auto verdict = [](double bound) {
    return NoneAbove("c", {{"a", 2}, {"b", 4}}, bound).support;
  };
  EXPECT_EQ(verdict(4), kYes);
  EXPECT_EQ(verdict(3), kMixed);
  EXPECT_EQ(verdict(1), kNo);
}

TEST(AgreesTest, WithinTheTolerance) {
  const auto verdict = [](double found_a, double found_b) {
    return Agrees("c", {{"a", 10, found_a}, {"b", 20, found_b}}, 1).support;
  };
  EXPECT_EQ(verdict(10.5, 19), kYes);
  EXPECT_EQ(verdict(10.5, 25), kMixed);
  EXPECT_EQ(verdict(5, 25), kNo);
}

TEST(DipsThenRisesTest, BothMustHappen) {
  EXPECT_EQ(DipsThenRises("c", {1, 0.9, 3, 1}).support, kYes);
  EXPECT_EQ(DipsThenRises("c", {1, 1.1, 3, 1}).support, kMixed);
  EXPECT_EQ(DipsThenRises("c", {1, 0.9, 1, 1}).support, kMixed);
  EXPECT_EQ(DipsThenRises("c", {1, 1.1, 1.2, 1}).support, kNo);
}

}  // namespace
}  // namespace rebasin::lab
