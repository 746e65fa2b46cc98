#include "nn/held_back.h"

#include <gtest/gtest.h>

#include <set>

#include "support/expect_error.h"

namespace rebasin::nn {
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

TEST(HeldBack, IsNotTrainedOn) {
  const HeldBack parts = HoldBack(Numbered(100), 30, false, 1);
  EXPECT_EQ(parts.train.size(), 70);
  EXPECT_EQ(parts.judge.size(), 30);
  std::set<float> all = Numbers(parts.train);
  all.merge(Numbers(parts.judge));
  EXPECT_EQ(all.size(), 100u);
}

TEST(HeldBack, IsChosenBySeed) {
  const auto judged = [](uint64_t seed) {
    return Numbers(HoldBack(Numbered(100), 30, false, seed).judge);
  };
  EXPECT_EQ(judged(1), judged(1));
  EXPECT_NE(judged(1), judged(2));
}

TEST(HeldBack, IsATenthByDefaultAndAtMost5000) {
  EXPECT_EQ(HoldBack(Numbered(200), 0, false, 1).judge.size(), 20);
  EXPECT_EQ(HoldBack(Numbered(5), 0, false, 1).judge.size(), 1);
  EXPECT_EQ(HoldBack(Numbered(60000), 0, false, 1).judge.size(), 5000);
}

TEST(HeldBack, MakesFullBatchesWhereTheyCount) {
  const HeldBack parts = HoldBack(Numbered(2000), 620, true, 1);
  EXPECT_EQ(parts.batch_size, 250);
  EXPECT_EQ(parts.judge.size(), 500);
  EXPECT_EQ(parts.train.size(), 1500);
  EXPECT_EQ(HoldBack(Numbered(200), 62, true, 1).batch_size, 62);
}

TEST(HeldBack, RefusesToTakeAll) {
  ExpectError(ErrorCode::kUsage, {"100 of 100"},
              [] { HoldBack(Numbered(100), 100, false, 1); });
  ExpectError(ErrorCode::kMismatch, {"empty"},
              [] { HoldBack({}, 0, false, 1); });
}

}  // namespace
}  // namespace rebasin::nn
