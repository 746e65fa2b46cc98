#include "rebasin/symmetry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rebasin/error.h"
#include "support/models.h"

namespace rebasin {
namespace {

using ::testing::HasSubstr;
using testing::MakeSymmetry;

template <typename Function>
std::string ErrorOf(ErrorCode code, const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return std::string(error.what()) + " " + error.hint();
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(Symmetry, OrderOfThePapersMlpIsTenToTheThreeTimesLog512Factorial) {
  const auto mlp = testing::Mlp({784, 512, 512, 512, 10});
  EXPECT_NEAR(mlp->Log10Order(), 3 * std::lgamma(513) / std::log(10), 1e-9);
  EXPECT_EQ(std::floor(mlp->Log10Order() / 3), 1166);
}

TEST(Symmetry, OrderOfAWreathProductCountsEveryCopy) {
  const auto net = MakeSymmetry({{"h", 3}, {"d", 2, 0}}, {{"w", {"h*d"}}});
  // 3! * (2!)^3 = 48
  EXPECT_NEAR(std::pow(10, net->Log10Order()), 48, 1e-9);
}

// Empty tensors exist, and have units like others.
TEST(Symmetry, OrderCountsOnlyWhatMovesSomething) {
  const auto net = MakeSymmetry(
      {{"h", 3}, {"z", 900}, {"unused", 700}, {"none", 0}},
      {{"w", {"h", "2"}}, {"empty", {"z", "0"}}, {"hollow", {"none", "4"}}});
  EXPECT_NEAR(std::pow(10, net->Log10Order()), 6, 1e-9);
}

TEST(Symmetry, RefusesProductsWithAFactorOfSizeZero) {
  for (const char* axis : {"0*z", "z*0", "none*z", "5+z*none", "2*(0+z)"}) {
    EXPECT_THAT(
        ErrorOf(ErrorCode::kBadInput,
                [&] {
                  MakeSymmetry({{"z", 900}, {"none", 0}}, {{"w", {"3", axis}}});
                }),
        HasSubstr("\"w\" axis 1: a product has a factor of size 0"))
        << axis;
  }
}

TEST(Symmetry, RefusesInnerGroupsWithoutTheirOuterOne) {
  EXPECT_THAT(
      ErrorOf(ErrorCode::kBadInput,
              [] {
                MakeSymmetry({{"h", 3}, {"d", 2, 0}}, {{"w", {"d"}}});
              }),
      HasSubstr("lies within \"h\", which does not occur in this tensor"));
}

TEST(Symmetry, AcceptsTheOuterGroupOnAnotherAxis) {
  EXPECT_NO_THROW(testing::GroupedConvolution(4, 2));
}

TEST(Symmetry, RefusesAnInnerGroupThatCouldBelongToTwoAxes) {
  EXPECT_THAT(
      ErrorOf(ErrorCode::kBadInput,
              [] {
                MakeSymmetry({{"h", 3}, {"d", 2, 0}}, {{"w", {"h", "h", "d"}}});
              }),
      HasSubstr("on more than one axis"));
}

TEST(Symmetry, RefusesCyclesOfWithin) {
  ErrorOf(ErrorCode::kBadInput, [] {
    Symmetry({{"a", 2, 1}, {"b", 2, 0}}, {});
  });
}

TEST(Symmetry, RefusesDuplicateAndImpossibleNames) {
  ErrorOf(ErrorCode::kBadInput, [] { Symmetry({{"a", 2}, {"a", 2}}, {}); });
  ErrorOf(ErrorCode::kBadInput, [] { Symmetry({{"1a", 2}}, {}); });
  ErrorOf(ErrorCode::kBadInput, [] { Symmetry({{"a*b", 2}}, {}); });
}

TEST(Symmetry, RefusesTensorsWhoseSizeOverflows) {
  ErrorOf(ErrorCode::kBadInput, [] {
    MakeSymmetry({}, {{"w", {"9000000000000", "9000000000000"}}});
  });
}

TEST(CheckFits, NamesTheTensorAndBothSizes) {
  const auto net = testing::Mlp({4, 8, 2});
  const Checkpoint other = testing::RandomModel(*testing::Mlp({4, 6, 2}), 1);
  EXPECT_THAT(ErrorOf(ErrorCode::kMismatch, [&] { net->CheckFits(other); }),
              HasSubstr("\"fc1.bias\" axis 0: the spec's \"P0\" has size 8, "
                        "the checkpoint has 6"));
}

TEST(CheckFits, CallsAHeadCountThatDoesNotDivideABadSpec) {
  const auto net = MakeSymmetry({{"h", 7}, {"d", 3, 0}}, {{"w", {"h*d"}}});
  const Checkpoint model({MakeTensor("w", {24}, std::vector<float>(24))});
  ErrorOf(ErrorCode::kBadInput, [&] { net->CheckFits(model); });
}

TEST(CheckFits, SuggestsTheNearestTensorName) {
  const auto net = MakeSymmetry({{"P", 2}}, {{"fc1.weigth", {"P"}}});
  const Checkpoint model(
      {MakeTensor("fc1.weight", {2}, std::vector<float>(2))});
  EXPECT_THAT(ErrorOf(ErrorCode::kMismatch, [&] { net->CheckFits(model); }),
              HasSubstr("did you mean \"fc1.weight\"?"));
}

TEST(CheckFits, UncoveredTensorsAreRefusedUnlessAllowed) {
  const auto net = MakeSymmetry({{"P", 2}}, {{"w", {"P"}}});
  const Checkpoint model({MakeTensor("w", {2}, std::vector<float>(2)),
                          MakeTensor("extra", {3}, std::vector<float>(3)),
                          MakeTensor("scalar", {}, std::vector<float>(1))});
  EXPECT_THAT(ErrorOf(ErrorCode::kMismatch, [&] { net->CheckFits(model); }),
              HasSubstr("1 tensor of the model is not in the spec: "
                        "\"extra\""));
  std::string warning;
  net->CheckFits(model, {.allow_uncovered = true},
                 {.warn = [&](const std::string& w) { warning = w; }});
  EXPECT_THAT(warning, HasSubstr("\"extra\""));
}

}  // namespace
}  // namespace rebasin
