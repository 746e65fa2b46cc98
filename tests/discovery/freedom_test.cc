// Freedom that is easy to miss: the number of permutations that are found is
// the number that there are, derived by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "discovery/structure.h"

namespace rebasin {
namespace {

using ::rebasin::testing::kHeads;
using ::rebasin::testing::kSize;
using ::testing::ElementsAre;

class FreedomTest : public testing::Structure {};

// As in GPT-NeoX and BLOOM: q, k and v of each head lie together.
TEST_F(FreedomTest, ProjectionsFusedHeadByHeadAreToldApart) {
  const ValueId fused = Dense(Tokens(), "qkv", 3 * kHeads * kSize);
  const ValueId parts =
      Transpose(Reshape(fused, {0, 0, kHeads, 3, kSize}), {3, 0, 2, 1, 4});
  const ValueId out = Attend(Index(parts, 0), Index(parts, 1), Index(parts, 2));
  b_.Output(Dense(JoinHeads(out), "o", 5), "y");
  Found();
  EXPECT_THAT(Of("qkv"), ElementsAre("8", "qkv/0*(2*qkv/1+qkv/2)"));
  EXPECT_THAT(Of("o"), ElementsAre("qkv/0*qkv/2", "5"));
  EXPECT_EQ(Parent("qkv/1"), "qkv/0");
  EXPECT_EQ(Parent("qkv/2"), "qkv/0");
  // heads! * (size! * size!) ^ heads
  ExpectOrder({kHeads, kSize, kSize, kSize, kSize, kSize, kSize});
}

// The same cut out of each head by slices, with values of another size.
TEST_F(FreedomTest, ProjectionsCutOutOfEachHeadAreToldApart) {
  const int64_t each = 2 * kSize + 5;
  const ValueId fused = Dense(Tokens(), "qkv", kHeads * each);
  const ValueId heads =
      Transpose(Reshape(fused, {0, 0, kHeads, each}), {0, 2, 1, 3});
  const auto parts = b_.AddMany("Split", {heads, b_.Ints({kSize, kSize, 5})},
                                {{"axis", int64_t{3}}}, 3);
  const ValueId out = Attend(parts[0], parts[1], parts[2]);
  b_.Output(Dense(JoinHeads(out), "o", 5), "y");
  Found();
  EXPECT_THAT(Of("qkv"), ElementsAre("8", "qkv/0*(2*qkv/1+qkv/2)"));
  EXPECT_THAT(Of("o"), ElementsAre("qkv/0*qkv/2", "5"));
  ExpectOrder({kHeads, kSize, kSize, kSize, 5, 5, 5});
}

}  // namespace
}  // namespace rebasin
