#include "symmetry/layout.h"

#include <gtest/gtest.h>

#include "support/models.h"

namespace rebasin {
namespace {

std::vector<int64_t> AllOffsets(const Block& block) {
  std::vector<int64_t> all = {block.offset};
  for (const Slot& slot : block.slots) {
    std::vector<int64_t> next;
    for (int64_t outer : all) {
      for (int64_t inner : Offsets(slot)) next.push_back(outer + inner);
    }
    all = next;
  }
  return all;
}

TEST(TensorBlocks, CoverEveryElementOnce) {
  const auto symmetry = testing::MakeSymmetry(
      {{"a", 3}, {"b", 2, 0}, {"c", 4}}, {{"w", {"a*b + c + 2", "c*3", "2"}}});
  std::vector<int> hits(12 * 12 * 2, 0);
  for (const Block& block : TensorBlocks(*symmetry, symmetry->tensors()[0])) {
    for (int64_t offset : AllOffsets(block)) ++hits.at(offset);
  }
  for (int hit : hits) EXPECT_EQ(hit, 1);
}

TEST(TensorBlocks, KernelIsOneContiguousFixedSlot) {
  const auto symmetry = testing::MakeSymmetry({{"o", 4}, {"i", 5}},
                                              {{"w", {"o", "i", "3", "3"}}});
  const auto blocks = TensorBlocks(*symmetry, symmetry->tensors()[0]);
  ASSERT_EQ(blocks.size(), 1u);
  ASSERT_EQ(blocks[0].slots.size(), 3u);
  const Slot& fixed = blocks[0].slots[2];
  EXPECT_EQ(fixed.root, kNoGroup);
  ASSERT_EQ(fixed.dims.size(), 1u);
  EXPECT_EQ(fixed.dims[0].size, 9);
  EXPECT_EQ(fixed.dims[0].stride, 1);
}

TEST(TensorBlocks, InnerGroupOnAnotherAxisJoinsItsOuterSlot) {
  const auto symmetry = testing::GroupedConvolution(2, 3);
  const auto blocks =
      TensorBlocks(*symmetry, *symmetry->Find("grouped.weight"));
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].slots[0].dims.size(), 3u);  // g, out, in
}

// The reference in tests/support decodes axis expressions element by element;
// the tables must agree with it.
TEST(Offsets, AgreeWithTheDefinitionOfPermuting) {
  const auto symmetry = testing::MakeSymmetry(
      {{"a", 3}, {"b", 2, 0}, {"c", 4, 1}, {"d", 5}},
      {{"w", {"a*b*c + d + 2", "d*3"}}, {"v", {"b*c", "a"}}});
  const auto alignment = Alignment::Random(symmetry, 9);
  const Checkpoint model = testing::RandomModel(*symmetry, 1);
  const Checkpoint expected = testing::ReferencePermute(model, alignment);
  for (const TensorSymmetry& tensor : symmetry->tensors()) {
    const auto from = FloatsInPlace(*model.Find(tensor.name));
    const auto to = FloatsInPlace(*expected.Find(tensor.name));
    for (const Block& block : TensorBlocks(*symmetry, tensor)) {
      std::vector<int64_t> at = {block.offset}, source = {block.offset};
      for (const Slot& slot : block.slots) {
        const auto plain = Offsets(slot), moved = Offsets(slot, alignment);
        std::vector<int64_t> next_at, next_source;
        for (size_t i = 0; i < at.size(); ++i) {
          for (size_t j = 0; j < plain.size(); ++j) {
            next_at.push_back(at[i] + plain[j]);
            next_source.push_back(source[i] + moved[j]);
          }
        }
        at = next_at;
        source = next_source;
      }
      for (size_t i = 0; i < at.size(); ++i) {
        EXPECT_EQ(to[at[i]], from[source[i]]);
      }
    }
  }
}

}  // namespace
}  // namespace rebasin
