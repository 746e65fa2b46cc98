#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "rebasin/nn/data.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;

constexpr int64_t kRecords = 20;

// A CIFAR-10 batch of images of one brightness each, from `darkest` to 255.
std::filesystem::path CifarBatch(const TempDir& folder, int darkest) {
  std::string bytes;
  for (int64_t r = 0; r < kRecords; ++r) {
    const auto value = darkest + (255 - darkest) * r / (kRecords - 1);
    bytes += static_cast<char>(r % 10);
    bytes += std::string(3072, static_cast<char>(value));
  }
  folder.Write("test_batch.bin", bytes);
  return folder / "test_batch.bin";
}

std::vector<std::string> Warnings(const std::filesystem::path& path,
                                  const std::string& asked,
                                  std::map<std::string, std::string> metadata) {
  const Checkpoint model({}, std::move(metadata));
  const Checkpoint* const models[] = {&model};
  std::vector<std::string> warnings;
  OpenDataFor(models, path, asked, {},
              {.warn = [&](const std::string& w) { warnings.push_back(w); }});
  return warnings;
}

TEST(OpenDataFor, SaysWhatNormalisationItAssumes) {
  const TempDir folder;
  const auto path = CifarBatch(folder, 0);
  EXPECT_THAT(Warnings(path, "", {}),
              ElementsAre(HasSubstr("cifar10 is assumed")));
  EXPECT_THAT(Warnings(path, "cifar10", {}), IsEmpty());
  EXPECT_THAT(Warnings(path, "", {{kNormalizeKey, "imagenet"}}), IsEmpty());
}

TEST(OpenDataFor, WarnsOfDataOnAnotherScale) {
  const TempDir folder;
  const auto path = CifarBatch(folder, 250);
  EXPECT_THAT(Warnings(path, "", {{kNormalizeKey, "cifar10"}}),
              ElementsAre(HasSubstr("normalised as cifar10, has mean 2.0")));
  EXPECT_THAT(Warnings(path, "none", {}), IsEmpty());
}

// Beside a training part, the test part is for judging.
TEST(ModelData, DrawsCalibrationExamplesOfTheTrainingPartBySeed) {
  const auto numbers = [](const char* name, float first) {
    std::vector<float> values(60);
    std::iota(values.begin(), values.end(), first);
    return Dataset(name, {1}, std::move(values), {}, 0);
  };
  const auto drawn = [](const ModelData& data, uint64_t seed) {
    const Dataset examples = data.Calibration(20, seed);
    std::vector<float> values(20);
    ReadBatch(examples, {}, 0, 20, values, nullptr);
    return values;
  };
  ModelData data{.splits = {numbers("train", 0), numbers("test", 100)}};
  EXPECT_THAT(drawn(data, 1), Each(Lt(60)));
  EXPECT_EQ(drawn(data, 1), drawn(data, 1));
  EXPECT_NE(drawn(data, 1), drawn(data, 2));
  const Dataset beside = data.BesideCalibration(20, 100, 1);
  std::vector<float> all(40);
  ReadBatch(beside, {}, 0, 40, all, nullptr);
  const std::vector<float> used = drawn(data, 1);
  all.insert(all.end(), used.begin(), used.end());
  std::sort(all.begin(), all.end());
  std::vector<float> numbered(60);
  std::iota(numbered.begin(), numbered.end(), 0.0f);
  EXPECT_EQ(all, numbered);
  data.splits.train = {};
  EXPECT_THAT(drawn(data, 1), Each(Ge(100)));
}

TEST(ModelData, DescribesHowItIsNormalised) {
  const TempDir folder;
  const ModelData data = OpenDataFor({}, CifarBatch(folder, 0), "none");
  EXPECT_THAT(data.Describe(data.splits.test), HasSubstr("not normalised"));
}

}  // namespace
}  // namespace rebasin
