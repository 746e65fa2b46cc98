#include "base/beside.h"

#include <gtest/gtest.h>

#include <future>
#include <new>
#include <stdexcept>
#include <thread>

namespace rebasin {
namespace {

TEST(Beside, RunsWhileItsOwnerGoesOn) {
  std::promise<void> begun, may_end;
  bool ended = false;
  {
    const Beside task([&] {
      begun.set_value();
      may_end.get_future().wait();
      ended = true;
    });
    begun.get_future().wait();
    may_end.set_value();  // a task run at once would never come here
  }
  EXPECT_TRUE(ended);
}

TEST(Beside, IsWaitedForWhereItsOwnerFails) {
  bool ended = false;
  const auto fail = [&] {
    const Beside task([&] {
      std::this_thread::yield();
      ended = true;
    });
    throw std::runtime_error("meanwhile");
  };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_TRUE(ended);
}

// Finds no memory when it is copied a second time, on its way into a thread.
class CopiedOnce {
 public:
  CopiedOnce(int* copies, std::thread::id* place)
      : copies_(copies), place_(place) {}
  CopiedOnce(const CopiedOnce& other)
      : copies_(other.copies_), place_(other.place_) {
    if (++*copies_ > 1) throw std::bad_alloc();
  }
  CopiedOnce& operator=(const CopiedOnce&) = delete;

  void operator()() const { *place_ = std::this_thread::get_id(); }

 private:
  int* copies_;
  std::thread::id* place_;
};

TEST(Beside, RunsAtOnceWhereThereIsNoMemoryForAThread) {
  int copies = 0;
  std::thread::id place;
  const Beside task(CopiedOnce(&copies, &place));
  EXPECT_EQ(place, std::this_thread::get_id());
}

}  // namespace
}  // namespace rebasin
