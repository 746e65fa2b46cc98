#include "nn/processor.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "io/child.h"

namespace rebasin::nn {
namespace {

constexpr int kSeconds = 60;

TEST(EndsInAChild, SaysYesOfWorkThatEnds) {
  EXPECT_TRUE(EndsInAChild([] {}, kSeconds));
}

TEST(EndsInAChild, SaysNoOfAnIllegalInstruction) {
  EXPECT_FALSE(EndsInAChild([] { std::raise(SIGILL); }, kSeconds));
}

TEST(EndsInAChild, SaysNoOfWorkThatThrows) {
  EXPECT_FALSE(EndsInAChild([] { throw std::runtime_error("no"); }, kSeconds));
}

TEST(EndsInAChild, SaysNoOfWorkThatHangs) {
  EXPECT_FALSE(EndsInAChild([] { pause(); }, 1));
}

// The helpers of this process do not exist in the child.
TEST(EndsInAChild, RunsProductsAfterThisProcessHasUsedThreads) {
  const at::Tensor a = at::ones({2000, 2000});
  EXPECT_EQ(a.sum().item<float>(), 4e6F);
  EXPECT_TRUE(EndsInAChild([] { at::ones({2000, 2000}).sum(); }, kSeconds));
}

TEST(BrokenTiles, AreNotFoundWhereTheProcessorHasNone) {
  if (AnnouncesTiles() || getenv("ONEDNN_MAX_CPU_ISA") != nullptr) {
    GTEST_SKIP() << "the processor announces tiles, or oneDNN is limited";
  }
  EXPECT_TRUE(EndsInAChild(MultiplyInBFloat16, kSeconds));
  AvoidBrokenTiles();
  EXPECT_EQ(getenv("ONEDNN_MAX_CPU_ISA"), nullptr);
}

// Whatever the processor announces, products work after this call.
TEST(BrokenTiles, DoNoHarm) {
  AvoidBrokenTiles();
  EXPECT_TRUE(EndsInAChild(MultiplyInBFloat16, kSeconds));
}

}  // namespace
}  // namespace rebasin::nn
