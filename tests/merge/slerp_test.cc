#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "rebasin/merge.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

std::vector<float> Slerp(const std::vector<float>& a,
                         const std::vector<float>& b, double share) {
  const Shape shape = {static_cast<int64_t>(a.size())};
  const Checkpoint x({MakeTensor("w", shape, a)});
  const Checkpoint y({MakeTensor("w", shape, b)});
  const std::vector<MergeInput> inputs = {{&x}, {&y}};
  const Checkpoint merged = Merge(
      inputs, {.method = MergeMethod::kSlerp, .weights = {1 - share, share}});
  std::vector<float> values(a.size());
  ReadFloats(*merged.Find("w"), 0, values);
  return values;
}

TEST(Slerp, FollowsTheCircleBetweenOrthogonalVectors) {
  const auto third = Slerp({1, 0}, {0, 1}, 1.0 / 3);
  EXPECT_NEAR(third[0], std::sqrt(3) / 2, 1e-6);
  EXPECT_NEAR(third[1], 0.5, 1e-6);
}

TEST(Slerp, KeepsTheLengthWhereTheMeanWouldShrinkIt) {
  const auto middle = Slerp({2, 0, 0}, {0, 0, 2}, 0.5);
  EXPECT_NEAR(std::hypot(middle[0], middle[1], middle[2]), 2, 1e-6);
}

TEST(Slerp, EndsAtItsEnds) {
  const std::vector<float> a = {1, 2, 3}, b = {-3, 2, 0.5};
  EXPECT_EQ(Slerp(a, b, 0), a);
  EXPECT_EQ(Slerp(a, b, 1), b);
}

TEST(Slerp, IsLinearForParallelAndZeroVectorsAndSingleNumbers) {
  EXPECT_EQ(Slerp({2, 4}, {4, 8}, 0.5), (std::vector<float>{3, 6}));
  EXPECT_EQ(Slerp({2}, {-2}, 0.25), (std::vector<float>{1}));
  EXPECT_EQ(Slerp({0, 0}, {4, 8}, 0.25), (std::vector<float>{1, 2}));
}

TEST(Slerp, OppositeVectorsAreRefused) {
  ExpectError(ErrorCode::kMismatch,
              {"\"w\"", "opposite", "--interpolation linear"}, [] {
                Slerp({2, 4}, {-2, -4}, 0.25);
              });
}

}  // namespace
}  // namespace rebasin
