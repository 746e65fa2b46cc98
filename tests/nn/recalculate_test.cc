#include <gtest/gtest.h>

#include <cmath>

#include "nn/small_networks.h"
#include "rebasin/nn/calibrate.h"
#include "rebasin/nn/train.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using testing::Blobs;
using testing::BytesOf;
using testing::Changed;
using testing::GraphPtr;
using testing::NumbersOf;
using testing::SmallConvNet;
using testing::SmallMlp;

// A network with BatchNorm that was trained, once for all tests.
struct Trained {
  GraphPtr graph = SmallConvNet();
  DataSplits data = {.train = Blobs({1, 8, 8}, 4, 250, 1),
                     .test = Blobs({1, 8, 8}, 4, 100, 2)};
  Checkpoint model;

  Trained() {
    TrainOptions options{
        .recipe = {.learning_rate = 0.01, .epochs = 8, .batch_size = 25}};
    model = Train(graph, data, options, {.threads = 1}).model;
  }
  double Loss(const Checkpoint& of) const {
    return Evaluate(graph, of, data.test).loss;
  }
  Checkpoint Recalculated(const Checkpoint& of,
                          const CalibrateOptions& options = {},
                          const Run& run = {}) const {
    return RecalculateBatchNorm(graph, of, data.train, options, run);
  }
};

const Trained& Net() {
  static const Trained net;
  return net;
}

TEST(RecalculateBatchNorm, KeepsATrainedNetworkAsGoodAsItIs) {
  const Checkpoint again = Net().Recalculated(Net().model);
  EXPECT_GT(Evaluate(Net().graph, again, Net().data.test).accuracy, 0.9);
  EXPECT_NEAR(Net().Loss(again), Net().Loss(Net().model), 0.1);
}

TEST(RecalculateBatchNorm, ChangesStatisticsOnly) {
  const Checkpoint again = Net().Recalculated(Net().model);
  for (const Tensor& tensor : again.tensors()) {
    const bool statistic = tensor.name.find("running") != std::string::npos;
    EXPECT_EQ(
        NumbersOf(again, tensor.name) == NumbersOf(Net().model, tensor.name),
        !statistic)
        << tensor.name;
  }
}

TEST(RecalculateBatchNorm, RestoresWhatScalingBeforeTheNormBroke) {
  const Checkpoint before = Net().Recalculated(Net().model);
  const Checkpoint broken =
      Changed(Changed(before, "conv1.weight", 10), "conv2.weight", 10);
  const Checkpoint restored = Net().Recalculated(broken);
  EXPECT_GT(Net().Loss(broken), Net().Loss(before) + 0.5);
  EXPECT_NEAR(Net().Loss(restored), Net().Loss(before), 1e-3);
  const auto means = NumbersOf(before, "bn1.running_mean");
  const auto new_means = NumbersOf(restored, "bn1.running_mean");
  for (size_t i = 0; i < means.size(); ++i) {
    EXPECT_NEAR(new_means[i], 10 * means[i], 1e-4 * (1 + std::abs(means[i])));
  }
}

TEST(RecalculateBatchNorm, DoesNotDependOnOldStatistics) {
  Checkpoint spoilt = Net().model;
  for (const char* norm : {"bn1", "bn2"}) {
    spoilt = Changed(spoilt, std::string(norm) + ".running_mean", 0, 100);
    spoilt = Changed(spoilt, std::string(norm) + ".running_var", 0, 1e-6);
  }
  EXPECT_EQ(BytesOf(Net().Recalculated(spoilt)),
            BytesOf(Net().Recalculated(Net().model)));
}

TEST(RecalculateBatchNorm, GivesTheSameBytesForAnyNumberOfThreads) {
  const auto bytes = [](int threads) {
    return BytesOf(Net().Recalculated(Net().model, {.batch_size = 20},
                                      {.threads = threads}));
  };
  const std::string one = bytes(1);
  for (int threads : {2, 5}) EXPECT_EQ(bytes(threads), one);
}

TEST(RecalculateBatchNorm, NeedsNoLabels) {
  const Dataset data("noise", {1, 8, 8}, std::vector<float>(64 * 4, 0.5F), {},
                     0);
  const Checkpoint again = RecalculateBatchNorm(Net().graph, Net().model, data);
  EXPECT_TRUE(testing::AllFinite(again));
}

TEST(RecalculateBatchNorm, LeavesOutALastBatchOfOne) {
  const std::vector<int64_t> rows = {0, 1, 2, 3, 4};
  const std::span<const int64_t> all = rows;
  const Dataset five = Net().data.train.Select(all);
  const Dataset four = Net().data.train.Select(all.first(4));
  const CalibrateOptions options{.batch_size = 4};
  EXPECT_EQ(
      BytesOf(RecalculateBatchNorm(Net().graph, Net().model, five, options)),
      BytesOf(RecalculateBatchNorm(Net().graph, Net().model, four, options)));
}

TEST(RecalculateBatchNorm, RefusesOneExample) {
  const std::vector<int64_t> rows = {0};
  ExpectError(ErrorCode::kMismatch, {"two examples"}, [&] {
    RecalculateBatchNorm(Net().graph, Net().model,
                         Net().data.train.Select(rows));
  });
}

TEST(RecalculateBatchNorm, RefusesNetworksWithoutOne) {
  const GraphPtr graph = SmallMlp();
  ExpectError(ErrorCode::kUnsupported, {"no BatchNorm"}, [&] {
    RecalculateBatchNorm(graph, testing::RandomNetwork(*graph, 1),
                         Blobs({6}, 4, 8, 1));
  });
}

}  // namespace
}  // namespace rebasin
