#include <gtest/gtest.h>

#include <cstring>

#include "permute/permuted_tensor.h"
#include "rebasin/merge.h"
#include "support/expect_error.h"
#include "support/models.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using testing::MakeSymmetry;
using testing::RandomModel;
using testing::ReferencePermute;
using testing::SymmetryPtr;

// One of each construction: products, sums, trees, trees over two axes, the
// same group twice, lists.
std::vector<SymmetryPtr> Symmetries() {
  return {
      testing::Mlp({5, 7, 6, 3}),
      testing::Recurrent(3, 6, 2),
      testing::Attention(6, 3, 4),
      testing::GroupedQueryAttention(6, 2, 3, 4),
      testing::GroupedConvolution(3, 4),
      testing::ListOfExperts(5, 4, 3),
      MakeSymmetry({{"a", 3}, {"b", 4}}, {{"concat", {"a+b+1", "2*b*3", "a+2"}},
                                          {"scalar", {}},
                                          {"flat", {"a*b"}}})};
}

void ExpectSame(const Checkpoint& found, const Checkpoint& expected) {
  EXPECT_TRUE(SameContent(found, expected));
}

TEST(Permute, MovesEveryElementAsTheDefinitionSays) {
  for (const SymmetryPtr& symmetry : Symmetries()) {
    const Checkpoint model = RandomModel(*symmetry, 1);
    const Alignment alignment = Alignment::Random(symmetry, 2);
    ExpectSame(Permute(model, alignment), ReferencePermute(model, alignment));
  }
}

TEST(Permute, GivesTheSameBytesAfterTheInverse) {
  for (const SymmetryPtr& symmetry : Symmetries()) {
    const Checkpoint model = RandomModel(*symmetry, 3);
    const Alignment alignment = Alignment::Random(symmetry, 4);
    ExpectSame(Permute(Permute(model, alignment), alignment.Inverse()), model);
  }
}

TEST(Permute, ReadsAnyRangeLikeTheWhole) {
  for (const SymmetryPtr& symmetry : Symmetries()) {
    const Checkpoint model = RandomModel(*symmetry, 5);
    const Alignment alignment = Alignment::Random(symmetry, 6);
    const Checkpoint whole = Permute(model, alignment);
    for (const Tensor& tensor : model.tensors()) {
      const PermutedTensor source(model, tensor.name, &alignment);
      const std::byte* expected = whole.Find(tensor.name)->bytes.data();
      for (int64_t begin = 0; begin < tensor.size(); begin += 5) {
        const int64_t count = std::min<int64_t>(7, tensor.size() - begin);
        std::vector<std::byte> scratch;
        const auto bytes = source.Read(begin, count, scratch);
        ASSERT_EQ(0,
                  std::memcmp(bytes.data(), expected + begin * 4, bytes.size()))
            << tensor.name << " from " << begin;
      }
    }
  }
}

TEST(Permute, SharesTheBytesOfWhatStays) {
  const SymmetryPtr symmetry = testing::Mlp({5, 7, 6, 3});
  const Checkpoint model = RandomModel(*symmetry, 1);
  const Checkpoint same = Permute(model, Alignment(symmetry));
  for (const Tensor& tensor : model.tensors()) {
    EXPECT_EQ(same.Find(tensor.name)->bytes.data(), tensor.bytes.data());
  }
}

Tensor RawTensor(const std::string& name, DType dtype, const Shape& shape,
                 const std::string& content) {
  const auto owner = std::make_shared<std::string>(content);
  return {.name = name,
          .dtype = dtype,
          .shape = shape,
          .bytes = std::as_bytes(std::span(*owner)),
          .owner = owner};
}

TEST(Permute, MovesElementsOfEverySize) {
  const SymmetryPtr symmetry = MakeSymmetry(
      {{"p", 2}}, {{"one", {"p"}}, {"two", {"p"}}, {"eight", {"p"}}});
  const Checkpoint model(
      {RawTensor("one", DType::kU8, {2}, "ab"),
       RawTensor("two", DType::kI16, {2}, "aabb"),
       RawTensor("eight", DType::kI64, {2}, "aaaaaaaabbbbbbbb")});
  Alignment swap(symmetry);
  swap.mutable_permutation(0)[0] = 1;
  swap.mutable_permutation(0)[1] = 0;
  const Checkpoint expected(
      {RawTensor("one", DType::kU8, {2}, "ba"),
       RawTensor("two", DType::kI16, {2}, "bbaa"),
       RawTensor("eight", DType::kI64, {2}, "bbbbbbbbaaaaaaaa")});
  ExpectSame(Permute(model, swap), expected);
}

TEST(Permute, S19_RefusesElementsSmallerThanAByteOnlyIfTheyMove) {
  const SymmetryPtr symmetry = MakeSymmetry({{"p", 2}}, {{"four", {"p"}}});
  const Checkpoint model({RawTensor("four", DType::kF4, {2}, "x")});
  ExpectSame(Permute(model, Alignment(symmetry)), model);
  Alignment swap(symmetry);
  swap.mutable_permutation(0)[0] = 1;
  swap.mutable_permutation(0)[1] = 0;
  ExpectError(ErrorCode::kUnsupported, {"four", "F4"},
              [&] { Permute(model, swap); });
}

TEST(Permute, RefusesAModelThatDoesNotFit) {
  const SymmetryPtr symmetry = testing::Mlp({5, 7, 3});
  const Checkpoint other = RandomModel(*testing::Mlp({5, 8, 3}), 1);
  ExpectError(ErrorCode::kMismatch, {},
              [&] { Permute(other, Alignment(symmetry)); });
}

TEST(PermuteToFile, WritesWhatPermuteReturnsForAnyNumberOfThreads) {
  const TempDir folder;
  const SymmetryPtr symmetry = testing::Mlp({300, 700, 600, 10});
  const Checkpoint model = RandomModel(*symmetry, 1);
  const Alignment alignment = Alignment::Random(symmetry, 2);
  PermuteToFile(model, alignment, folder / "1.safetensors", {}, {.threads = 1});
  PermuteToFile(model, alignment, folder / "3.safetensors", {}, {.threads = 3});
  ExpectSame(Checkpoint::Open(folder / "1.safetensors"),
             Permute(model, alignment));
  EXPECT_EQ(ReadAll(folder / "1.safetensors"),
            ReadAll(folder / "3.safetensors"));
}

TEST(SameContent, TellsPermutedCopiesFromOthers) {
  const SymmetryPtr symmetry = testing::Mlp({5, 7, 6, 3});
  const Checkpoint a = RandomModel(*symmetry, 1);
  const Alignment alignment = Alignment::Random(symmetry, 2);
  const Checkpoint b = Permute(a, alignment);
  const Alignment back = alignment.Inverse();
  EXPECT_FALSE(SameContent(a, b));
  EXPECT_TRUE(SameContent(a, b, &back));
  EXPECT_FALSE(SameContent(a, RandomModel(*symmetry, 2)));
}

}  // namespace
}  // namespace rebasin
