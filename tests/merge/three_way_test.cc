// Merging what came from one model.

#include <gtest/gtest.h>

#include <cmath>

#include "rebasin/merge.h"
#include "support/expect_error.h"
#include "support/models.h"

namespace rebasin {
namespace {

using Taken = std::map<std::string, size_t>;

Tensor Number(const std::string& name, float value) {
  return MakeTensor(name, {1}, {{value}});
}

// Tensors called a, b, ... with one number each.
Checkpoint Numbers(const std::vector<float>& values) {
  std::vector<Tensor> tensors;
  for (const float value : values) {
    tensors.push_back(
        Number(std::string(1, static_cast<char>('a' + tensors.size())), value));
  }
  return Checkpoint(std::move(tensors));
}

float ValueOf(const Checkpoint& model, const std::string& name) {
  float value = 0;
  ReadFloats(*model.Find(name), 0, {&value, 1});
  return value;
}

Tensor Counter(const std::string& name, char value) {
  const auto owner = std::make_shared<std::string>(8, value);
  return {.name = name,
          .dtype = DType::kI64,
          .shape = {},
          .bytes = std::as_bytes(std::span(*owner)),
          .owner = owner};
}

TEST(ThreeWay, FindsWhatOneModelHasChangedAlone) {
  const Checkpoint base = Numbers({1, 1, 1, 1});
  const Checkpoint ours = Numbers({2, 1, 2, 1});
  const Checkpoint theirs = Numbers({1, 3, 3, 1});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  EXPECT_EQ(TensorsChangedByOne(models, {&base}), (Taken{{"a", 0}, {"b", 1}}));
}

TEST(ThreeWay, TakesItAndMixesTheRest) {
  const Checkpoint base = Numbers({1, 1, 1, 1});
  const Checkpoint ours = Numbers({2, 1, 2, 1});
  const Checkpoint theirs = Numbers({1, 3, 3, 1});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  const Checkpoint merged =
      Merge(models, {.copied = TensorsChangedByOne(models, {&base})});
  EXPECT_EQ(ValueOf(merged, "a"), 2);
  EXPECT_EQ(ValueOf(merged, "b"), 3);
  EXPECT_EQ(ValueOf(merged, "c"), 2.5);
  EXPECT_EQ(ValueOf(merged, "d"), 1);
}

TEST(ThreeWay, WhatTheBaseDoesNotHaveIsMixed) {
  const Checkpoint base({Number("a", 1), MakeTensor("b", {2}, {{1, 1}})});
  const Checkpoint ours = Numbers({1, 1, 1});
  const Checkpoint theirs = Numbers({2, 2, 2});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  EXPECT_EQ(TensorsChangedByOne(models, {&base}), (Taken{{"a", 1}}));
}

TEST(ThreeWay, OfManyModelsTheOneThatChangedATensorGivesIt) {
  const Checkpoint base = Numbers({1, 1});
  const Checkpoint a = Numbers({1, 2}), b = Numbers({1, 1}),
                   c = Numbers({5, 2});
  const std::vector<MergeInput> models = {{&a}, {&b}, {&c}};
  EXPECT_EQ(TensorsChangedByOne(models, {&base}), (Taken{{"a", 2}}));
}

TEST(ThreeWay, ComparesModelsAsTheyAreAligned) {
  const auto symmetry = testing::Mlp({5, 7, 3});
  const Checkpoint base = testing::RandomModel(*symmetry, 1);
  const Alignment alignment = Alignment::Random(symmetry, 2);
  const Checkpoint moved = Permute(base, alignment.Inverse());
  const Checkpoint ours = testing::RandomModel(*symmetry, 3);
  const std::vector<MergeInput> models = {{&ours}, {&moved, &alignment}};
  const Taken taken = TensorsChangedByOne(models, {&base});
  EXPECT_EQ(taken.size(), base.tensors().size());
  EXPECT_TRUE(SameContent(Merge(models, {.copied = taken}), ours));
}

TEST(ThreeWay, CountersComeFromWhoCounted) {
  const Checkpoint base({Counter("n", 1)}), ours({Counter("n", 1)}),
      theirs({Counter("n", 2)});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  int warnings = 0;
  const MergeOptions options{.copied = TensorsChangedByOne(models, {&base})};
  const rebasin::Run run{.warn = [&](const std::string&) { ++warnings; }};
  EXPECT_TRUE(SameContent(Merge(models, options, run), theirs));
  EXPECT_EQ(warnings, 0);
}

TEST(ThreeWay, WhatIsNotFiniteIsRefusedAllTheSame) {
  const Checkpoint base = Numbers({1}), ours = Numbers({1}),
                   theirs = Numbers({std::nanf("")});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  ExpectError(ErrorCode::kBadInput, {"model 2", "\"a\""}, [&] {
    Merge(models, {.copied = TensorsChangedByOne(models, {&base})});
  });
}

TEST(ThreeWay, RefusesToTakeFromModelsThatAreNotThere) {
  const Checkpoint a = Numbers({1}), b = Numbers({2});
  const std::vector<MergeInput> models = {{&a}, {&b}};
  ExpectError(ErrorCode::kUsage, {"\"a\"", "model 3 of 2"}, [&] {
    Merge(models, {.copied = {{"a", 2}}});
  });
}

TEST(Delta, AddsWhatBothModelsHaveChanged) {
  const Checkpoint base = Numbers({1, 1, 1}), ours = Numbers({2, 1, 1.5}),
                   theirs = Numbers({4, 3, 1});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  const Checkpoint merged = Merge(models, {.base = {&base}});
  EXPECT_EQ(ValueOf(merged, "a"), 5);
  EXPECT_EQ(ValueOf(merged, "b"), 3);
  EXPECT_EQ(ValueOf(merged, "c"), 1.5);
}

// (t - b) + b is not t, in any precision, where b is much larger.
TEST(Delta, IsExactWhereOneModelHasNotChanged) {
  const std::vector<float> large = {1e30F, -1e30F, 6e4F, -0.0F, 1e-38F};
  const std::vector<float> small = {1e-30F, 3.0F, 1e-7F, 0.1F, -0.0F};
  for (const DType dtype :
       {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}) {
    const bool narrow = dtype == DType::kF16;
    const auto make = [&](const std::vector<float>& values) {
      std::vector<float> kept = values;
      for (float& v : kept) v = narrow && std::abs(v) > 6e4F ? 6e4F : v;
      return Checkpoint({MakeTensor("a", {5}, kept, dtype)});
    };
    const Checkpoint x = make(large), y = make(small);
    const std::vector<MergeInput> theirs_changed = {{&x}, {&y}};
    EXPECT_TRUE(SameContent(Merge(theirs_changed, {.base = {&x}}), y));
    const std::vector<MergeInput> ours_changed = {{&y}, {&x}};
    EXPECT_TRUE(SameContent(Merge(ours_changed, {.base = {&x}}), y));
  }
}

TEST(Delta, OfUnchangedInfinitiesIsNoNaN) {
  const Checkpoint base = Numbers({-INFINITY, 1}),
                   ours = Numbers({-INFINITY, 2}),
                   theirs = Numbers({-INFINITY, 3});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  const Checkpoint merged =
      Merge(models, {.base = {&base}, .allow_nonfinite = true});
  EXPECT_EQ(ValueOf(merged, "a"), -INFINITY);
  EXPECT_EQ(ValueOf(merged, "b"), 4);
  ExpectError(ErrorCode::kBadInput, {"model 1", "\"a\""},
              [&] { Merge(models, {.base = {&base}}); });
}

TEST(Delta, RefusesABaseThatIsNotFinite) {
  const Checkpoint base = Numbers({NAN}), ours = Numbers({1}),
                   theirs = Numbers({2});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  ExpectError(ErrorCode::kBadInput, {"the base", "\"a\""},
              [&] { Merge(models, {.base = {&base}}); });
}

TEST(Delta, LeavesVariancesAboveTheSmallerOne) {
  const auto model = [](float var, float other) {
    return Checkpoint(
        {Number("bn.running_var", var), Number("v", var), Number("w", other)});
  };
  const Checkpoint base = model(4, 4), ours = model(1, 1), theirs = model(2, 2);
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  const Checkpoint merged =
      Merge(models, {.base = {&base}, .variances = {"v"}});
  EXPECT_EQ(ValueOf(merged, "bn.running_var"), 1);
  EXPECT_EQ(ValueOf(merged, "v"), 1);
  EXPECT_EQ(ValueOf(merged, "w"), -1);
}

TEST(Delta, OverflowIsAnError) {
  const auto half = [](float x) {
    return Checkpoint({MakeTensor("a", {1}, {{x}}, DType::kF16)});
  };
  const Checkpoint base = half(0), ours = half(6e4F), theirs = half(5e4F);
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  ExpectError(ErrorCode::kBadInput, {"\"a\"", "too large for F16"},
              [&] { Merge(models, {.base = {&base}}); });
}

TEST(Delta, ChangesMadeOnBothSidesAreKeptOnce) {
  const Checkpoint base = Numbers({1, 1, 1}), ours = Numbers({2, 2, 1}),
                   theirs = Numbers({2, 3, 1});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  EXPECT_EQ(TensorsChangedAlike(models, {&base}), (Taken{{"a", 0}}));
}

TEST(Delta, RefusesABaseOfAnotherStructure) {
  const Checkpoint ours = Numbers({1, 2}), theirs = Numbers({3, 4});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  const Checkpoint fewer = Numbers({1}), more = Numbers({1, 2, 3});
  const Checkpoint shapes({Number("a", 1), MakeTensor("b", {2}, {{1, 1}})});
  const auto merge = [&](const Checkpoint& base) {
    return [&] { Merge(models, {.base = {&base}}); };
  };
  ExpectError(ErrorCode::kMismatch, {"no tensor \"b\""}, merge(fewer));
  ExpectError(ErrorCode::kMismatch, {"\"c\""}, merge(more));
  ExpectError(ErrorCode::kMismatch, {"\"b\"", "[2]", "[1]"}, merge(shapes));
}

TEST(Delta, TakesTwoModelsWithoutWeights) {
  const Checkpoint a = Numbers({1});
  const std::vector<MergeInput> two = {{&a}, {&a}}, three = {{&a}, {&a}, {&a}};
  ExpectError(ErrorCode::kUsage, {"two models"},
              [&] { Merge(three, {.base = {&a}}); });
  ExpectError(ErrorCode::kUsage, {"without weights"}, [&] {
    Merge(two, {.weights = {0.5, 0.5}, .base = {&a}});
  });
}

TEST(Choice, GoesByTheSizeOfTheChangesAndTheirOverlap) {
  EXPECT_TRUE(ChooseThreeWay({0.1, 0.2, 0.1}).delta);
  EXPECT_TRUE(ChooseThreeWay({0.1, 0.2, -0.9}).delta);
  EXPECT_TRUE(ChooseThreeWay({0, 0, 0}).delta);
  EXPECT_FALSE(ChooseThreeWay({0.1, 0.6, 0}).delta);
  EXPECT_FALSE(ChooseThreeWay({1.4, 0.1, 0}).delta);
  EXPECT_FALSE(ChooseThreeWay({0.1, 0.1, 0.9}).delta);
  EXPECT_FALSE(ChooseThreeWay({NAN, 0.1, 0}).delta);
}

TEST(Evidence, MeasuresChangesAgainstTheBase) {
  const auto model = [](float x, float y) {
    return Checkpoint({MakeTensor("w", {2, 2}, {{x, y, 0, 0}}),
                       MakeTensor("b", {2}, {{100 * x, y}})});
  };
  const Checkpoint base = model(4, 3), ours = model(4, 4), theirs = model(6, 3);
  const ThreeWayEvidence found = MeasureChanges({&ours}, {&theirs}, {&base});
  EXPECT_NEAR(found.ours, 0.2, 1e-12);
  EXPECT_NEAR(found.theirs, 0.4, 1e-12);
  EXPECT_EQ(found.cosine, 0);
}

TEST(Evidence, IsTheSameForAnyNumberOfThreads) {
  const auto symmetry = testing::Mlp({300, 1200, 5});
  const Checkpoint base = testing::RandomModel(*symmetry, 1);
  const Checkpoint ours = testing::WithNoise(base, 0.1, 2),
                   theirs = testing::WithNoise(base, 0.2, 3);
  const auto one = MeasureChanges({&ours}, {&theirs}, {&base}, {.threads = 1});
  const auto four = MeasureChanges({&ours}, {&theirs}, {&base}, {.threads = 4});
  EXPECT_NEAR(one.ours, 0.1, 0.01);
  EXPECT_EQ(one.ours, four.ours);
  EXPECT_EQ(one.theirs, four.theirs);
  EXPECT_EQ(one.cosine, four.cosine);
}

// Both models in orders of their own, each another than the base's.
TEST(Plan, DifferencesAreThoseOfTheSameUnits) {
  const auto symmetry = testing::Mlp({20, 30, 5});
  const Checkpoint base = testing::RandomModel(*symmetry, 1);
  const Checkpoint ours = testing::WithNoise(base, 0.1, 2),
                   theirs = testing::WithNoise(base, 0.1, 3);
  const std::vector<MergeInput> in_order = {{&ours}, {&theirs}};
  const Checkpoint wanted = Merge(in_order, {.base = {&base}});
  const Alignment mine = Alignment::Random(symmetry, 4);
  const Checkpoint moved_ours = Permute(ours, mine);
  const Checkpoint moved_theirs =
      Permute(theirs, Alignment::Random(symmetry, 5));
  const Matcher matcher = [&](const Checkpoint& a, const Checkpoint& b) {
    return MatchWeights(a, b, symmetry).alignment;
  };
  const ThreeWayPlan plan =
      PlanThreeWay(moved_ours, moved_theirs, base, ThreeWay::kAuto, matcher);
  ASSERT_TRUE(plan.choice.delta) << plan.choice.why;
  const std::vector<MergeInput> moved = {{&moved_ours},
                                         {&moved_theirs, &*plan.theirs}};
  const Checkpoint merged = Merge(moved, {.base = {&base, &*plan.base}});
  EXPECT_TRUE(SameContent(merged, Permute(wanted, mine)));
}

TEST(Plan, ModelsTrainedApartAreMatchedToEachOther) {
  const auto symmetry = testing::Mlp({20, 30, 5});
  const Checkpoint base = testing::RandomModel(*symmetry, 1),
                   ours = testing::RandomModel(*symmetry, 2),
                   theirs = testing::RandomModel(*symmetry, 3);
  const Matcher matcher = [&](const Checkpoint& a, const Checkpoint& b) {
    return MatchWeights(a, b, symmetry).alignment;
  };
  const ThreeWayPlan plan =
      PlanThreeWay(ours, theirs, base, ThreeWay::kAuto, matcher);
  EXPECT_FALSE(plan.choice.delta);
  EXPECT_FALSE(plan.base);
  EXPECT_EQ(*plan.theirs, matcher(ours, theirs));
}

TEST(Plan, WithoutAMatcherModelsAreTakenAsTheyAre) {
  const Checkpoint base = Numbers({10}), ours = Numbers({11}),
                   theirs = Numbers({9});
  const ThreeWayPlan plan =
      PlanThreeWay(ours, theirs, base, ThreeWay::kAuto, {});
  EXPECT_TRUE(plan.choice.delta);
  EXPECT_FALSE(plan.theirs);
}

}  // namespace
}  // namespace rebasin
