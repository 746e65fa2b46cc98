#include "rebasin/merge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/expect_error.h"
#include "support/models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using Floats = std::vector<float>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Checkpoint One(const Floats& values, DType dtype = DType::kF32,
               const std::string& name = "w") {
  const Shape shape = {static_cast<int64_t>(values.size())};
  return Checkpoint({MakeTensor(name, shape, values, dtype)});
}

Checkpoint Counter(char value) {
  const auto owner = std::make_shared<std::string>(8, value);
  return Checkpoint({{.name = "counter",
                      .dtype = DType::kI64,
                      .shape = {},
                      .bytes = std::as_bytes(std::span(*owner)),
                      .owner = owner}});
}

Checkpoint MergeAll(const std::vector<Checkpoint>& models,
                    const MergeOptions& options = {}, const Run& run = {}) {
  std::vector<MergeInput> inputs;
  for (const Checkpoint& model : models) inputs.push_back({&model});
  return Merge(inputs, options, run);
}

Floats Values(const Checkpoint& model) {
  Floats values(static_cast<size_t>(model.tensors()[0].size()));
  ReadFloats(model.tensors()[0], 0, values);
  return values;
}

TEST(Merge, IsTheMeanByDefault) {
  EXPECT_EQ(Values(MergeAll({One({1, 2}), One({3, -2})})), (Floats{2, 0}));
  EXPECT_EQ(Values(MergeAll({One({1}), One({2}), One({6})})), (Floats{3}));
}

TEST(Merge, WeighsTheModels) {
  const MergeOptions options{.weights = {0.25, 0.75}};
  EXPECT_EQ(Values(MergeAll({One({4}), One({8})}, options)), (Floats{7}));
}

TEST(Merge, KeepsElementTypes) {
  for (DType dtype : {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}) {
    const Checkpoint merged =
        MergeAll({One({1, 3}, dtype), One({2, 5}, dtype)});
    EXPECT_EQ(merged.tensors()[0].dtype, dtype);
    EXPECT_EQ(Values(merged), (Floats{1.5, 4}));
  }
}

TEST(Merge, M08_GivesAModelBackBitByBitAtTheEnds) {
  const Checkpoint a = One({-0.0f, 1e-45f, 3.14f}), b = One({1, 2, 3});
  EXPECT_TRUE(SameContent(MergeAll({a, b}, {.weights = {1, 0}}), a));
  EXPECT_TRUE(SameContent(MergeAll({a, b}, {.weights = {0, 1}}), b));
}

TEST(Merge, M11_GivesEqualModelsBackBitByBit) {
  const Checkpoint model = One({-0.0f, 1e-45f, 3.14f, -2.7e38f});
  EXPECT_TRUE(
      SameContent(MergeAll({model, model}, {.weights = {0.3, 0.7}}), model));
  EXPECT_TRUE(SameContent(MergeAll({model, model, model}), model));
}

TEST(Merge, PermutesBeforeItMerges) {
  const auto symmetry = testing::Mlp({5, 7, 3});
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  const Alignment alignment = Alignment::Random(symmetry, 2);
  const Checkpoint b = Permute(a, alignment.Inverse());
  const std::vector<MergeInput> inputs = {{&a}, {&b, &alignment}};
  EXPECT_TRUE(SameContent(Merge(inputs), a));
}

TEST(Merge, M04_CopiesIntegersFromTheFirstModelAndSaysSo) {
  std::vector<std::string> warnings;
  const rebasin::Run run{
      .warn = [&](const std::string& line) { warnings.push_back(line); }};
  const Checkpoint a = Counter(1);
  EXPECT_TRUE(SameContent(MergeAll({a, Counter(2)}, {}, run), a));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("counter"), std::string::npos);
  MergeAll({a, a}, {}, run);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST(Merge, M05_RefusesValuesThatAreNotFinite) {
  for (float bad : {kNan, kInfinity, -kInfinity}) {
    for (const auto& weights : {std::vector<double>{}, {1.0, 0.0}}) {
      ExpectError(ErrorCode::kBadInput,
                  {"model 2", "\"w\"", "2 values", "first at index 1"}, [&] {
                    MergeAll({One({1, 2, 3}), One({1, bad, bad})},
                             {.weights = weights});
                  });
    }
  }
}

TEST(Merge, MergesThemAllTheSameWhenAsked) {
  const Floats merged = Values(
      MergeAll({One({1, 2}), One({kNan, 4})}, {.allow_nonfinite = true}));
  EXPECT_TRUE(std::isnan(merged[0]));
  EXPECT_EQ(merged[1], 3);
}

TEST(Merge, M07_RefusesAResultThatOverflowsItsType) {
  // A mean cannot overflow, but the great circle bulges out: halfway between
  // these it is at x times the root of 2.
  const float x = 60000;
  const Checkpoint a = One({x, x, 0}, DType::kF16);
  const Checkpoint b = One({x, -x, 100}, DType::kF16);
  ExpectError(ErrorCode::kBadInput, {"\"w\"", "F16"}, [&] {
    MergeAll({a, b}, {.method = MergeMethod::kSlerp});
  });
}

TEST(Merge, M15_WarnsOfStatistics) {
  std::vector<std::string> warnings;
  const rebasin::Run run{
      .warn = [&](const std::string& line) { warnings.push_back(line); }};
  const Checkpoint a = One({1, 2}, DType::kF32, "bn.running_var");
  const Checkpoint b = One({1, -2}, DType::kF32, "bn.running_var");
  EXPECT_EQ(Values(MergeAll({a, b}, {}, run)), (Floats{1, 0}));
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("recalculate"), std::string::npos);
  EXPECT_NE(warnings[1].find("negative"), std::string::npos);
}

TEST(Merge, M17_RefusesWeightsThatAreNoShares) {
  const std::vector<Checkpoint> two = {One({1}), One({2})};
  const double nan = kNan;
  for (const std::vector<double>& weights : {std::vector<double>{0.5, 0.6},
                                             {-1, 2},
                                             {nan, 1},
                                             {1},
                                             {0.2, 0.3, 0.5}}) {
    ExpectError(ErrorCode::kUsage, {"weight"},
                [&] { MergeAll(two, {.weights = weights}); });
  }
  ExpectError(ErrorCode::kUsage, {"two models"}, [&] { MergeAll({two[0]}); });
}

TEST(Merge, M02_RefusesModelsOfDifferentStructure) {
  ExpectError(ErrorCode::kMismatch, {"\"w\""}, [] {
    MergeAll({One({1}), One({1, 2})});
  });
  ExpectError(ErrorCode::kMismatch, {"F16"}, [] {
    MergeAll({One({1}), One({1}, DType::kF16)});
  });
}

TEST(MergeToFile, F20_WritesTheSameBytesForAnyNumberOfThreads) {
  const TempDir folder;
  const auto symmetry = testing::Mlp({900, 1100, 1300, 10});
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  const Checkpoint b = testing::RandomModel(*symmetry, 2);
  const Alignment alignment = Alignment::Random(symmetry, 3);
  const std::vector<MergeInput> inputs = {{&a}, {&b, &alignment}};
  for (MergeMethod method : {MergeMethod::kLinear, MergeMethod::kSlerp}) {
    const MergeOptions options{.method = method};
    MergeToFile(inputs, folder / "1.safetensors", options, {.force = true},
                {.threads = 1});
    MergeToFile(inputs, folder / "4.safetensors", options, {.force = true},
                {.threads = 4});
    EXPECT_EQ(ReadAll(folder / "1.safetensors"),
              ReadAll(folder / "4.safetensors"));
    EXPECT_TRUE(SameContent(Checkpoint::Open(folder / "1.safetensors"),
                            Merge(inputs, options)));
  }
}

TEST(MergeToFile, LeavesNothingBehindWhenItFails) {
  const TempDir folder;
  const Checkpoint a = One({1, 2}), b = One({1, kNan});
  const std::vector<MergeInput> inputs = {{&a}, {&b}};
  ExpectError(ErrorCode::kBadInput, {"NaN"},
              [&] { MergeToFile(inputs, folder / "x.safetensors"); });
  EXPECT_TRUE(folder.Files().empty());
}

}  // namespace
}  // namespace rebasin
