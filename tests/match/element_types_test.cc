// Models of other types than F32 are matched as their float32 copies would be,
// bit by bit, and without such copies.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rebasin/match.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::AllKinds;
using testing::SymmetryPtr;

// All values times a power of two.
Checkpoint Scaled(const Checkpoint& model, float factor) {
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : model.tensors()) {
    std::vector<float> values(static_cast<size_t>(tensor.size()));
    ReadFloats(tensor, 0, values);
    for (float& value : values) value *= factor;
    tensors.push_back(MakeTensor(tensor.name, tensor.shape, values));
  }
  return Checkpoint(std::move(tensors));
}

// The model with every tensor at an odd address.
Checkpoint Misaligned(const Checkpoint& model) {
  std::vector<Tensor> tensors = model.tensors();
  for (Tensor& tensor : tensors) {
    const auto bytes =
        std::make_shared<std::vector<std::byte>>(tensor.bytes.size() + 1);
    std::copy(tensor.bytes.begin(), tensor.bytes.end(), bytes->begin() + 1);
    tensor.bytes = std::span<const std::byte>(*bytes).subspan(1);
    tensor.owner = bytes;
  }
  return Checkpoint(std::move(tensors));
}

void ExpectSame(const MatchResult& found, const MatchResult& expected) {
  EXPECT_TRUE(found.alignment == expected.alignment);
  EXPECT_EQ(found.report.objective_after, expected.report.objective_after);
  EXPECT_EQ(found.report.objective_by_pass, expected.report.objective_by_pass);
  EXPECT_EQ(found.report.norm_b, expected.report.norm_b);
}

class ElementTypes : public ::testing::TestWithParam<DType> {
 protected:
  void ExpectLikeFloats(const SymmetryPtr& symmetry, const Checkpoint& a,
                        const Checkpoint& b, const MatchOptions& options) {
    const Checkpoint own_a = ConvertTypes(a, GetParam());
    const Checkpoint own_b = ConvertTypes(b, GetParam());
    const auto expected =
        MatchWeights(ConvertTypes(own_a, DType::kF32),
                     ConvertTypes(own_b, DType::kF32), symmetry, options);
    ExpectSame(MatchWeights(own_a, own_b, symmetry, options), expected);
    ExpectSame(
        MatchWeights(Misaligned(own_a), Misaligned(own_b), symmetry, options),
        expected);
  }
};

TEST_P(ElementTypes, AreMatchedLikeTheirFloat32Copies) {
  for (const SymmetryPtr& symmetry : AllKinds()) {
    const Checkpoint a = testing::RandomModel(*symmetry, 1);
    const Checkpoint b = testing::RandomModel(*symmetry, 2);
    for (const auto start : {MatchStart::kAnchored, MatchStart::kAnnealed}) {
      ExpectLikeFloats(symmetry, a, b, {.start = start});
    }
  }
}

// Large enough for packed tiles and for terms that are left out.
TEST_P(ElementTypes, AreMatchedLikeTheirFloat32CopiesInWideLayers) {
  const auto symmetry = testing::Mlp({70, 401, 530, 10});
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  ExpectLikeFloats(symmetry, a, testing::RandomModel(*symmetry, 2), {});
  ExpectLikeFloats(symmetry, a,
                   testing::ReferencePermute(testing::WithNoise(a, 1, 3),
                                             Alignment::Random(symmetry, 4)),
                   {});
}

// Products of such weights are subnormal, which instructions for bfloat16 take
// for zero.
TEST_P(ElementTypes, AreMatchedLikeTheirFloat32CopiesIfTheyAreTiny) {
  if (GetParam() == DType::kF16) GTEST_SKIP() << "F16 has no such numbers";
  const auto symmetry = testing::Mlp({70, 401, 10});
  ExpectLikeFloats(symmetry,
                   Scaled(testing::RandomModel(*symmetry, 1), 0x1p-65f),
                   Scaled(testing::RandomModel(*symmetry, 2), 0x1p-65f), {});
}

INSTANTIATE_TEST_SUITE_P(Types, ElementTypes,
                         ::testing::Values(DType::kBF16, DType::kF16,
                                           DType::kF64),
                         [](const auto& type) {
                           return std::string(DTypeName(type.param));
                         });

}  // namespace
}  // namespace rebasin
