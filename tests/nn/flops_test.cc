#include "nn/flops.h"

#include <gtest/gtest.h>

#include "nn/small_networks.h"
#include "rebasin/zoo.h"

namespace rebasin::nn {
namespace {

TEST(Flops, CountsDenseLayers) {
  const auto graph = testing::SmallMlp(6, 8, 4);
  const double weights = 6 * 8 + 8 * 8 + 8 * 4, biases = 8 + 8 + 4;
  const double flops = ForwardFlops(*graph, {10, 6});
  EXPECT_GE(flops, 2 * 10 * weights);
  EXPECT_LE(flops, 2 * 10 * (weights + biases));
  EXPECT_EQ(TrainingFlops(*graph, {10, 6}), 3 * flops);
}

// 41 million multiplications an image, as is well known.
TEST(Flops, CountsConvolutionsAtEveryPosition) {
  const Graph graph = ZooGraph("resnet20");
  const double one = ForwardFlops(graph, {1, 3, 32, 32});
  EXPECT_NEAR(one, 2 * 41e6, 2 * 1e6);
  EXPECT_EQ(ForwardFlops(graph, {7, 3, 32, 32}), 7 * one);
}

}  // namespace
}  // namespace rebasin::nn
