#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rebasin/nn/data.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Two images of two channels of one row.
Dataset Bytes() {
  return {"bytes",
          {2, 1, 2},
          std::vector<uint8_t>{0, 255, 51, 102,  //
                               1, 2, 3, 4},
          {1, 0},
          2};
}

TEST(ReadBatch, ReadsBytesAsShares) {
  std::vector<float> out(4);
  ReadBatch(Bytes(), {}, 0, 1, out, nullptr);
  EXPECT_THAT(out, ElementsAre(0, 1, 51 / 255.0f, 102 / 255.0f));
}

TEST(ReadBatch, NormalisesEachChannel) {
  std::vector<float> out(4);
  ReadBatch(Bytes(), ParseNormalization("0.5,0.2/0.5,0.1"), 0, 1, out, nullptr);
  EXPECT_EQ(out[0], -1);
  EXPECT_EQ(out[1], 1);
  EXPECT_EQ(out[2], (51 / 255.0f - 0.2f) / 0.1f);
  EXPECT_EQ(out[3], (102 / 255.0f - 0.2f) / 0.1f);
}

TEST(ReadBatch, NormalisesAllChannelsAlike) {
  std::vector<float> out(4);
  ReadBatch(Bytes(), ParseNormalization("0.5/0.5"), 0, 1, out, nullptr);
  EXPECT_EQ(out[0], -1);
  EXPECT_EQ(out[3], (102 / 255.0f - 0.5f) / 0.5f);
}

TEST(ReadBatch, TakesFloatsAsTheyAre) {
  const Dataset data("floats", {2}, std::vector<float>{1.5f, -3, 0, 7}, {}, 0);
  std::vector<float> out(4);
  std::vector<int64_t> labels = {9};
  ReadBatch(data, {}, 0, 2, out, &labels);
  EXPECT_THAT(out, ElementsAre(1.5f, -3, 0, 7));
  EXPECT_THAT(labels, IsEmpty());
  ReadBatch(data, ParseNormalization("1/2"), 0, 2, out, nullptr);
  EXPECT_THAT(out, ElementsAre(0.25f, -2, -0.5f, 3));
}

TEST(ReadBatch, ReadsARangeOfASelection) {
  const Dataset data = Bytes().Select(std::vector<int64_t>{0, 1, 1, 0});
  std::vector<float> out(8);
  std::vector<int64_t> labels;
  ReadBatch(data, {}, 2, 2, out, &labels);
  EXPECT_THAT(labels, ElementsAre(0, 1));
  EXPECT_EQ(out[0], 1 / 255.0f);
  EXPECT_EQ(out[5], 1);
}

TEST(ReadBatch, RefusesNormalizationsOfOtherChannels) {
  std::vector<float> out(4);
  ExpectError(ErrorCode::kUsage, {"bytes", "3 means", "2 channels"}, [&] {
    ReadBatch(Bytes(), ParseNormalization("cifar10"), 0, 1, out, nullptr);
  });
  ExpectError(ErrorCode::kUsage, {"1 means and 0 deviations"}, [&] {
    ReadBatch(Bytes(), {.mean = {1}, .deviation = {}}, 0, 1, out, nullptr);
  });
}

}  // namespace
}  // namespace rebasin
