// Permuting by alignments with factors.

#include <gtest/gtest.h>

#include "discovery/discovered.h"
#include "rebasin/discovery.h"
#include "rebasin/merge.h"
#include "rebasin/zoo.h"
#include "support/expect_error.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::SymmetryPtr;

class ScaledModels : public ::testing::TestWithParam<const char*> {
 protected:
  ScaledModels()
      : graph_(ZooGraph(GetParam())),
        symmetry_(std::make_shared<const Symmetry>(
            Discover(graph_, {.scales = true, .signs = true}).symmetry)),
        model_(testing::RandomWeights(graph_, 1)) {}

  Graph graph_;
  SymmetryPtr symmetry_;
  Checkpoint model_;
};

// Factors of Random are powers of two and signs, so that nothing is rounded.
TEST_P(ScaledModels, PermutingTwiceIsPermutingByTheComposition) {
  const Alignment a = Alignment::Random(symmetry_, 1);
  const Alignment b = Alignment::Random(symmetry_, 2);
  const Checkpoint twice = Permute(Permute(model_, a), b);
  EXPECT_TRUE(SameContent(twice, Permute(model_, a.Then(b))));
  EXPECT_FALSE(SameContent(twice, model_));
}

TEST_P(ScaledModels, TheInverseUndoes) {
  const Alignment a = Alignment::Random(symmetry_, 3);
  EXPECT_TRUE(a.HasFactors());
  EXPECT_TRUE(a.Then(a.Inverse()).IsIdentity());
  EXPECT_TRUE(a.Inverse().Then(a).IsIdentity());
  const Alignment back = a.Inverse();
  EXPECT_TRUE(SameContent(model_, Permute(model_, a), &back));
}

// F16 has too small a range for it to be exact.
TEST_P(ScaledModels, AllTypesAreScaled) {
  const Alignment a = Alignment::Random(symmetry_, 4);
  for (DType dtype : {DType::kF32, DType::kBF16}) {
    const Checkpoint narrow = ConvertTypes(model_, dtype);
    EXPECT_TRUE(SameContent(Permute(ConvertTypes(narrow, DType::kF64), a),
                            ConvertTypes(Permute(narrow, a), DType::kF64)))
        << DTypeName(dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, ScaledModels,
    ::testing::Values(
        "mlp:width=24", "gpt2:depth=2,width=48,heads=3,vocab=50,context=16",
        "llama:depth=2,width=32,heads=4,kv_heads=2,mlp=48,vocab=40"));
INSTANTIATE_TEST_SUITE_P(SlowModels, ScaledModels,
                         ::testing::Values("resnet20", "mobilenetv2:se=true",
                                           "densenet121"));

SymmetryPtr OneScale() {
  const auto plain = testing::MakeSymmetry(
      {{"P", 2}}, {{"in", {"P", "2"}}, {"out", {"2", "P"}}});
  Scaling scaling;
  scaling.group = 0;
  scaling.places = {{"in", 0, 0, 1}, {"out", 1, 0, -1}};
  return std::make_shared<const Symmetry>(plain->groups(), plain->tensors(),
                                          std::vector<Scaling>{scaling});
}

TEST(Scaled, ElementsAreMultipliedByPowersOfTheirFactors) {
  Alignment alignment(OneScale());
  alignment.mutable_permutation(0)[0] = 1;
  alignment.mutable_permutation(0)[1] = 0;
  alignment.mutable_factors(0)[0] = 4;
  const std::vector<float> in = {1, 2, 3, 4}, out = {5, 6, 7, 8};
  const Checkpoint moved = Permute(Checkpoint({MakeTensor("in", {2, 2}, in),
                                               MakeTensor("out", {2, 2}, out)}),
                                   alignment);
  std::vector<float> values(4);
  ReadFloats(*moved.Find("in"), 0, values);
  EXPECT_EQ(values, (std::vector<float>{12, 16, 1, 2}));
  ReadFloats(*moved.Find("out"), 0, values);
  EXPECT_EQ(values, (std::vector<float>{1.5, 5, 2, 7}));
}

TEST(Scaled, IntegersCannotBeScaled) {
  Alignment alignment(OneScale());
  alignment.mutable_factors(0)[0] = 2;
  Tensor in = MakeTensor("in", {2, 2}, std::vector<float>(4));
  in.dtype = DType::kI32;
  const Checkpoint model(
      {in, MakeTensor("out", {2, 2}, std::vector<float>(4))});
  ExpectError(ErrorCode::kUnsupported, {"rescaled", "in"},
              [&] { Permute(model, alignment); });
}

TEST(Scaled, OverflowIsRefused) {
  Alignment alignment(OneScale());
  alignment.mutable_factors(0)[0] = 1e6;
  const Checkpoint model = ConvertTypes(
      Checkpoint({MakeTensor("in", {2, 2}, std::vector<float>(4, 1)),
                  MakeTensor("out", {2, 2}, std::vector<float>(4, 1))}),
      DType::kF16);
  ExpectError(ErrorCode::kBadInput, {"too large", "F16"},
              [&] { Permute(model, alignment); });
}

}  // namespace
}  // namespace rebasin
