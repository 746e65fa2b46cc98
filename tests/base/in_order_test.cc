#include "base/in_order.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "base/parallel.h"

namespace rebasin {
namespace {

TEST(InOrder, PartsRunInTheOrderOfTheirTasks) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    InOrder in_order;
    std::vector<int64_t> seen;
    pool.For(200, [&](int64_t i) {
      EXPECT_TRUE(in_order.Run(i, [&] { seen.push_back(i); }));
    });
    ASSERT_EQ(seen.size(), 200u);
    for (int64_t i = 0; i < 200; ++i) EXPECT_EQ(seen[i], i);
  }
}

TEST(InOrder, NobodyWaitsForATaskThatFailed) {
  ThreadPool pool(3);
  InOrder in_order;
  const auto task = [&](int64_t i) {
    if (i == 5) {
      in_order.Fail();
      throw std::runtime_error("5");
    }
    in_order.Run(i, [] {});
  };
  EXPECT_THROW(pool.For(50, task), std::runtime_error);
  EXPECT_FALSE(in_order.Run(50, [] { FAIL(); }));
}

}  // namespace
}  // namespace rebasin
