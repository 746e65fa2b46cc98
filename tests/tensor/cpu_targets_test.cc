#include "base/cpu_targets.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "support/targets.h"

namespace rebasin {
namespace {

// Of those that there are kernels for, as of Highway's own library.
TEST(CpuTargets, AreThoseThatHighwayFinds) {
  int64_t known = HWY_SCALAR | HWY_EMU128;
#if HWY_ARCH_X86
  known |= HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL;
  EXPECT_EQ(CpuTargets(), hwy::SupportedTargets() & known);
#else
  EXPECT_EQ(CpuTargets(), hwy::SupportedTargets());
#endif
}

TEST(CpuTargets, CanBeLimitedToOneAtATime) {
  const int64_t all = CpuTargets();
  int64_t seen = 0;
  ForEachTarget([&] {
    EXPECT_EQ(CpuTargets() & (CpuTargets() - 1), 0);
    seen |= CpuTargets();
  });
  EXPECT_EQ(seen, all & HWY_TARGETS);
  EXPECT_EQ(CpuTargets(), all);
}

}  // namespace
}  // namespace rebasin
