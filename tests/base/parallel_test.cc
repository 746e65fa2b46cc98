#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/expect_error.h"

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

TEST(ThreadPool, StopsBeforeTheNextTask) {
  for (const int threads : {1, 2, 4}) {
    std::atomic<int> started = 0;
    ThreadPool pool(
        rebasin::Run{.threads = threads, .stop = [&] { return started >= 8; }});
    ExpectError(ErrorCode::kStopped, {"stopped"},
                [&] { pool.For(1'000'000'000, [&](int64_t) { ++started; }); });
    EXPECT_GE(started, 8);
  }
}

TEST(ThreadPool, RunsAllTasksWhereNobodyAsksToStop) {
  std::atomic<int> started = 0;
  ThreadPool pool(rebasin::Run{.threads = 3, .stop = [] { return false; }});
  pool.For(1000, [&](int64_t) { ++started; });
  EXPECT_EQ(started, 1000);
  EXPECT_NO_THROW(pool.CheckStop());
}

TEST(ThreadPool, AsksWhetherToStopInTheThreadOfItsCallerAlone) {
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> elsewhere = false;
  ThreadPool pool(rebasin::Run{.threads = 4, .stop = [&] {
                                 if (std::this_thread::get_id() != caller) {
                                   elsewhere = true;
                                 }
                                 return false;
                               }});
  pool.For(1000, [&](int64_t) { pool.For(3, [](int64_t) {}); });
  EXPECT_FALSE(elsewhere);
}

TEST(ThreadPool, EmptyLoopReturns) {
  ThreadPool pool(2);
  pool.For(0, [](int64_t) { FAIL(); });
}

}  // namespace
}  // namespace rebasin
