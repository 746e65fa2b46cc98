#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "rebasin/nn/data.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using ::testing::ElementsAre;

// Small images that all differ; the label is the number of the image.
Dataset Images(int64_t count) {
  std::vector<uint8_t> pixels(static_cast<size_t>(count) * 48);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(i * 37 + i / 48);
  }
  std::vector<int32_t> labels(static_cast<size_t>(count));
  std::iota(labels.begin(), labels.end(), 0);
  return {"images", {3, 4, 4}, std::move(pixels), std::move(labels), count};
}

struct Copied {
  std::vector<float> examples;
  std::vector<int64_t> labels;
  bool operator==(const Copied&) const = default;
};

Copied Copy(const Batch& batch) {
  return {{batch.examples.begin(), batch.examples.end()},
          {batch.labels.begin(), batch.labels.end()}};
}

std::vector<Copied> ReadEpoch(Loader& loader, int64_t epoch,
                              int64_t first = 0) {
  std::vector<Copied> batches;
  Batch batch;
  loader.Start(epoch, first);
  while (loader.Next(&batch)) {
    EXPECT_EQ(batch.examples.size(), static_cast<size_t>(batch.size) * 48);
    batches.push_back(Copy(batch));
  }
  EXPECT_FALSE(loader.Next(&batch));
  return batches;
}

LoaderOptions Everything(int threads) {
  return {.batch_size = 7,
          .shuffle = true,
          .seed = 11,
          .normalization = ParseNormalization("cifar10"),
          .augmentation = PaperAugmentation(),
          .threads = threads};
}

TEST(Loader, GivesTheExamplesInOrder) {
  const Dataset data = Images(5);
  Loader loader(data, {.batch_size = 2});
  EXPECT_EQ(loader.batches(), 3);
  const auto batches = ReadEpoch(loader, 0);
  ASSERT_EQ(batches.size(), 3);
  EXPECT_THAT(batches[1].labels, ElementsAre(2, 3));
  EXPECT_THAT(batches[2].labels, ElementsAre(4));
  std::vector<float> expected(48);
  ReadBatch(data, {}, 4, 1, expected, nullptr);
  EXPECT_EQ(batches[2].examples, expected);
}

TEST(Loader, LeavesOutALastBatchIfAsked) {
  Loader loader(Images(5), {.batch_size = 2, .drop_last = true});
  EXPECT_EQ(loader.batches(), 2);
  EXPECT_EQ(ReadEpoch(loader, 0).size(), 2);
}

TEST(Loader, GivesTheSameBytesForAnyNumberOfThreads) {
  const Dataset data = Images(100);
  Loader reference(data, Everything(0));
  for (const int threads : {1, 2, 5, 40}) {
    Loader loader(data, Everything(threads));
    for (const int64_t epoch : {0, 1, 7}) {
      EXPECT_EQ(ReadEpoch(loader, epoch), ReadEpoch(reference, epoch))
          << threads << " threads, epoch " << epoch;
    }
  }
}

TEST(Loader, CanStartInTheMiddle) {
  Loader loader(Images(100), Everything(2));
  const auto all = ReadEpoch(loader, 3);
  for (const int64_t first : {0, 1, 9, 14, 15, 1000}) {
    const auto rest = ReadEpoch(loader, 3, first);
    const auto begin = all.begin() + std::min<int64_t>(first, 15);
    EXPECT_EQ(rest, std::vector<Copied>(begin, all.end()));
  }
}

TEST(Loader, ShufflesEachEpochDifferentlyAndCompletely) {
  Loader loader(Images(50), {.batch_size = 50, .shuffle = true, .seed = 1});
  const auto first = ReadEpoch(loader, 0)[0].labels;
  const auto second = ReadEpoch(loader, 1)[0].labels;
  EXPECT_NE(first, second);
  for (auto labels : {first, second}) {
    std::sort(labels.begin(), labels.end());
    for (size_t i = 0; i < labels.size(); ++i) {
      EXPECT_EQ(labels[i], static_cast<int64_t>(i));
    }
  }
}

TEST(Loader, AugmentationOfNothingIsTheIdentity) {
  const Dataset data = Images(20);
  Loader plain(data, {.batch_size = 20});
  Loader augmented(data, {.batch_size = 20, .augmentation = {.crop = true}});
  EXPECT_EQ(ReadEpoch(plain, 0), ReadEpoch(augmented, 0));
}

TEST(Loader, AugmentsEachEpochDifferently) {
  Loader loader(Images(20), {.augmentation = PaperAugmentation()});
  EXPECT_NE(ReadEpoch(loader, 0), ReadEpoch(loader, 1));
  EXPECT_EQ(ReadEpoch(loader, 0), ReadEpoch(loader, 0));
}

TEST(Loader, MayBeInterruptedAtAnyTime) {
  const Dataset data = Images(200);
  Loader reference(data, Everything(0));
  const auto expected = ReadEpoch(reference, 5);
  for (const int threads : {0, 1, 3}) {
    Loader loader(data, Everything(threads));
    Batch batch;
    for (int64_t i = 0; i < 60; ++i) {
      loader.Start(i);
      for (int64_t k = 0; k < i % 7; ++k) loader.Next(&batch);
    }
    loader.Start(5);
    ASSERT_TRUE(loader.Next(&batch));
    EXPECT_EQ(Copy(batch), expected[0]);
    loader.Start(6);  // and left while threads are at work
  }
  const Loader never_started(data, Everything(3));
}

TEST(Loader, BatchesStayValidUntilTheNextCall) {
  Loader loader(Images(100), Everything(4));
  Batch batch;
  loader.Start(0);
  while (loader.Next(&batch)) {
    const Copied before = Copy(batch);
    std::this_thread::yield();
    EXPECT_EQ(Copy(batch), before);
  }
}

TEST(Loader, HasNoBatchesOfNothing) {
  Loader loader(Dataset(), {.threads = 2});
  EXPECT_EQ(loader.batches(), 0);
  Batch batch;
  EXPECT_FALSE(loader.Next(&batch));
  loader.Start(0);
  EXPECT_FALSE(loader.Next(&batch));
}

TEST(Loader, GivesNoLabelsIfThereAreNone) {
  Loader loader(Dataset("d", {2}, std::vector<float>(6), {}, 0),
                {.batch_size = int64_t{1} << 60});
  Batch batch;
  loader.Start(0);
  ASSERT_TRUE(loader.Next(&batch));
  EXPECT_EQ(batch.size, 3);
  EXPECT_TRUE(batch.labels.empty());
}

TEST(Loader, RefusesImpossibleOptions) {
  const auto make = [](const LoaderOptions& options) {
    Loader(Images(3), options);
  };
  ExpectError(ErrorCode::kUsage, {"batch size of 0"},
              [&] { make({.batch_size = 0}); });
  ExpectError(ErrorCode::kUsage, {"-1 threads"},
              [&] { make({.threads = -1}); });
  ExpectError(ErrorCode::kUsage, {"1 means", "3 channels"},
              [&] { make({.normalization = {.mean = {0}, .deviation = {}}}); });
  Loader loader(Images(3), {});
  ExpectError(ErrorCode::kUsage, {"batch -1"}, [&] { loader.Start(0, -1); });
}

}  // namespace
}  // namespace rebasin
