#include <gtest/gtest.h>

#include "rebasin/nn/data.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

Dataset Small() {
  return {"small", {2}, std::vector<uint8_t>{0, 1, 2, 3, 4, 5}, {2, 0, 1}, 3};
}

TEST(Dataset, KnowsItsSizes) {
  const Dataset data = Small();
  EXPECT_EQ(data.size(), 3);
  EXPECT_EQ(data.example_size(), 2);
  EXPECT_EQ(data.classes(), 3);
  EXPECT_FALSE(data.is_image());
  EXPECT_EQ(data.label(2), 1);
}

TEST(Dataset, IsEmptyByDefault) {
  const Dataset data;
  EXPECT_TRUE(data.empty());
  EXPECT_FALSE(data.has_labels());
  EXPECT_EQ(data.example_size(), 0);
}

TEST(Dataset, NeedsNoLabels) {
  const Dataset data("floats", {1, 2, 2}, std::vector<float>(8), {}, 0);
  EXPECT_EQ(data.size(), 2);
  EXPECT_TRUE(data.is_image());
  EXPECT_FALSE(data.has_labels());
}

TEST(Dataset, SelectionsKeepOrderAndRepetition) {
  const Dataset once = Small().Select(std::vector<int64_t>{2, 0, 2});
  EXPECT_EQ(once.size(), 3);
  EXPECT_EQ(once.label(0), 1);
  EXPECT_EQ(once.label(1), 2);
  EXPECT_EQ(once.label(2), 1);
  const Dataset twice = once.Select(std::vector<int64_t>{1});
  EXPECT_EQ(twice.size(), 1);
  EXPECT_EQ(twice.label(0), 2);
  EXPECT_EQ(twice.name(), "small");
}

TEST(Dataset, RefusesSizesThatDisagree) {
  const std::vector<uint8_t> six(6);
  const auto make = [&](Shape shape, std::vector<int32_t> labels) {
    Dataset("d", std::move(shape), six, std::move(labels), 3);
  };
  ExpectError(ErrorCode::kMismatch, {"d: ", "6 values", "[4]"},
              [&] { make({4}, {}); });
  ExpectError(ErrorCode::kMismatch, {"[0, 3]"}, [&] { make({0, 3}, {}); });
  ExpectError(ErrorCode::kMismatch, {"[-2, -3]"}, [&] { make({-2, -3}, {}); });
  ExpectError(ErrorCode::kMismatch, {"2 labels for 3 examples"}, [&] {
    make({2}, {0, 1});
  });
}

TEST(Dataset, RefusesLabelsOutOfRange) {
  for (const int32_t label : {-1, 3}) {
    ExpectError(
        ErrorCode::kBadInput, {"label " + std::to_string(label), "3 classes"},
        [&] { Dataset("d", {2}, std::vector<uint8_t>(2), {label}, 3); });
  }
}

}  // namespace
}  // namespace rebasin
