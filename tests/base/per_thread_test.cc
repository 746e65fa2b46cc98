#include "base/per_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace rebasin {
namespace {

std::atomic<int> alive = 0;

struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
  int value = 0;
};

TEST(PerThread, IsTheSameForOneThreadAndAnotherForEachOther) {
  PerThread<Counted>().value = 7;
  EXPECT_EQ(PerThread<Counted>().value, 7);
  int elsewhere = -1, meanwhile = 0;
  std::thread([&] {
    elsewhere = PerThread<Counted>().value;
    meanwhile = alive;
  }).join();
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(meanwhile, 2);
  EXPECT_EQ(alive, 1);  // it went with its thread
}

}  // namespace
}  // namespace rebasin
