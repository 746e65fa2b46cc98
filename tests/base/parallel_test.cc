#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace rebasin {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    std::vector<std::atomic<int>> hits(1000);
    for (int round = 0; round < 20; ++round) {
      pool.For(1000, [&](int64_t i) { ++hits[i]; });
    }
    for (const auto& hit : hits) EXPECT_EQ(hit, 20);
  }
}

TEST(ThreadPool, RethrowsTheErrorOfTheLowestIndex) {
  ThreadPool pool(4);
  const auto fail_from_ten = [](int64_t i) {
    if (i >= 10) throw std::runtime_error(std::to_string(i));
  };
  try {
    pool.For(100, fail_from_ten);
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "10");
  }
}

TEST(ThreadPool, NestedLoopsRunInsideTheirTask) {
  ThreadPool pool(3);
  std::atomic<int> count = 0;
  pool.For(8, [&](int64_t) { pool.For(8, [&](int64_t) { ++count; }); });
  EXPECT_EQ(count, 64);
}

TEST(ThreadPool, EmptyLoopReturns) {
  ThreadPool pool(2);
  pool.For(0, [](int64_t) { FAIL(); });
}

}  // namespace
}  // namespace rebasin
