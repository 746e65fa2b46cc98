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
  EXPECT_EQ(ChangedAlone(models, base), (Taken{{"a", 0}, {"b", 1}}));
}

TEST(ThreeWay, TakesItAndMixesTheRest) {
  const Checkpoint base = Numbers({1, 1, 1, 1});
  const Checkpoint ours = Numbers({2, 1, 2, 1});
  const Checkpoint theirs = Numbers({1, 3, 3, 1});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  const Checkpoint merged =
      Merge(models, {.taken = ChangedAlone(models, base)});
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
  EXPECT_EQ(ChangedAlone(models, base), (Taken{{"a", 1}}));
}

TEST(ThreeWay, OfManyModelsTheOneThatChangedATensorGivesIt) {
  const Checkpoint base = Numbers({1, 1});
  const Checkpoint a = Numbers({1, 2}), b = Numbers({1, 1}),
                   c = Numbers({5, 2});
  const std::vector<MergeInput> models = {{&a}, {&b}, {&c}};
  EXPECT_EQ(ChangedAlone(models, base), (Taken{{"a", 2}}));
}

TEST(ThreeWay, ComparesModelsAsTheyAreAligned) {
  const auto symmetry = testing::Mlp({5, 7, 3});
  const Checkpoint base = testing::RandomModel(*symmetry, 1);
  const Alignment alignment = Alignment::Random(symmetry, 2);
  const Checkpoint moved = Permute(base, alignment.Inverse());
  const Checkpoint ours = testing::RandomModel(*symmetry, 3);
  const std::vector<MergeInput> models = {{&ours}, {&moved, &alignment}};
  const Taken taken = ChangedAlone(models, base);
  EXPECT_EQ(taken.size(), base.tensors().size());
  EXPECT_TRUE(SameContent(Merge(models, {.taken = taken}), ours));
}

TEST(ThreeWay, CountersComeFromWhoCounted) {
  const Checkpoint base({Counter("n", 1)}), ours({Counter("n", 1)}),
      theirs({Counter("n", 2)});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  int warnings = 0;
  const MergeOptions options{.taken = ChangedAlone(models, base),
                             .warn = [&](const std::string&) { ++warnings; }};
  EXPECT_TRUE(SameContent(Merge(models, options), theirs));
  EXPECT_EQ(warnings, 0);
}

TEST(ThreeWay, WhatIsNotFiniteIsRefusedAllTheSame) {
  const Checkpoint base = Numbers({1}), ours = Numbers({1}),
                   theirs = Numbers({std::nanf("")});
  const std::vector<MergeInput> models = {{&ours}, {&theirs}};
  ExpectError(ErrorCode::kBadInput, {"model 2", "\"a\""},
              [&] { Merge(models, {.taken = ChangedAlone(models, base)}); });
}

TEST(ThreeWay, RefusesToTakeFromModelsThatAreNotThere) {
  const Checkpoint a = Numbers({1}), b = Numbers({2});
  const std::vector<MergeInput> models = {{&a}, {&b}};
  ExpectError(ErrorCode::kUsage, {"\"a\"", "model 3 of 2"}, [&] {
    Merge(models, {.taken = {{"a", 2}}});
  });
}

}  // namespace
}  // namespace rebasin
