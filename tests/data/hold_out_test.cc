#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "rebasin/nn/data.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

// Example i is the number i.
Dataset Numbered(int64_t size) {
  std::vector<float> values;
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < size; ++i) {
    values.push_back(static_cast<float>(i));
    labels.push_back(static_cast<int32_t>(i % 3));
  }
  return Dataset("numbers", {1}, std::move(values), std::move(labels), 3);
}

std::set<float> Numbers(const Dataset& data) {
  std::vector<float> values(data.size());
  ReadBatch(data, {}, 0, data.size(), values, nullptr);
  return {values.begin(), values.end()};
}

TEST(HeldOut, IsNotTrainedOn) {
  const HeldOut parts = HoldOut(Numbered(100), 30, false, 1);
  EXPECT_EQ(parts.train.size(), 70);
  EXPECT_EQ(parts.held_out.size(), 30);
  std::set<float> all = Numbers(parts.train);
  all.merge(Numbers(parts.held_out));
  EXPECT_EQ(all.size(), 100u);
}

TEST(HeldOut, IsChosenBySeed) {
  const auto judged = [](uint64_t seed) {
    return Numbers(HoldOut(Numbered(100), 30, false, seed).held_out);
  };
  EXPECT_EQ(judged(1), judged(1));
  EXPECT_NE(judged(1), judged(2));
}

TEST(HeldOut, IsATenthByDefaultAndAtMost5000) {
  EXPECT_EQ(HoldOut(Numbered(200), 0, false, 1).held_out.size(), 20);
  EXPECT_EQ(HoldOut(Numbered(5), 0, false, 1).held_out.size(), 1);
  EXPECT_EQ(HoldOut(Numbered(60000), 0, false, 1).held_out.size(), 5000);
}

TEST(HeldOut, MakesFullBatchesWhereTheyCount) {
  const HeldOut parts = HoldOut(Numbered(2000), 620, true, 1);
  EXPECT_EQ(parts.batch_size, 250);
  EXPECT_EQ(parts.held_out.size(), 500);
  EXPECT_EQ(parts.train.size(), 1500);
  EXPECT_EQ(HoldOut(Numbered(200), 62, true, 1).batch_size, 62);
}

TEST(HeldOut, RefusesToTakeAll) {
  ExpectError(ErrorCode::kUsage, {"100 of 100"},
              [] { HoldOut(Numbered(100), 100, false, 1); });
  ExpectError(ErrorCode::kMismatch, {"empty"},
              [] { HoldOut({}, 0, false, 1); });
}

// Sorted by class, as some files are, the first examples would be of one class.
TEST(HeldOut, HoldsEachClassInProportion) {
  std::vector<float> values(1000);
  std::vector<int32_t> labels(1000, 2);
  std::fill(labels.begin(), labels.begin() + 100, 0);
  std::fill(labels.begin() + 100, labels.begin() + 400, 1);
  const Dataset data("sorted", {1}, std::move(values), std::move(labels), 3);
  const HeldOut parts = HoldOut(data, 100, false, 4);
  std::vector<int> counts(3);
  for (int64_t i = 0; i < parts.held_out.size(); ++i) {
    ++counts[parts.held_out.label(i)];
  }
  EXPECT_EQ(counts, (std::vector<int>{10, 30, 60}));
}

}  // namespace
}  // namespace rebasin
