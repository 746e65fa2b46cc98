#include "rebasin/nn/train.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/builder.h"
#include "nn/small_networks.h"
#include "support/expect_error.h"
#include "zoo/layers.h"

namespace rebasin {
namespace {

using testing::AllFinite;
using testing::Blobs;
using testing::BytesOf;
using testing::Digits;
using testing::GraphPtr;
using testing::GroupNormNet;
using testing::NumbersOf;
using testing::RandomNetwork;
using testing::SmallConvNet;
using testing::SmallMlp;

DataSplits SmallData() {
  return {.train = Blobs({6}, 4, 90, 1), .test = Blobs({6}, 4, 40, 2)};
}

TrainOptions ShortTraining(uint64_t seed = 0) {
  TrainOptions options{
      .recipe = {
          .learning_rate = 0.01, .epochs = 3, .batch_size = 20, .seed = seed}};
  return options;
}

TEST(Train, LearnsDigits) {
  const GraphPtr graph = SmallMlp(64, 64, 10);
  std::vector<EpochReport> told;
  TrainOptions options{
      .recipe = {.learning_rate = 5e-3, .epochs = 15, .batch_size = 50},
      .on_epoch = [&](const EpochReport& epoch) { told.push_back(epoch); }};
  const DataSplits data = Digits();
  const TrainResult result = Train(graph, data, options);
  EXPECT_EQ(result.end, TrainEnd::kDone);
  ASSERT_EQ(result.epochs.size(), 15u);
  ASSERT_EQ(told.size(), 15u);
  EXPECT_EQ(result.steps, 15 * 29);
  EXPECT_GT(result.epochs.back().test.accuracy, 0.9);
  EXPECT_LT(result.epochs.back().loss, result.epochs.front().loss);
  EXPECT_EQ(told.back().epoch, 15);
  const Evaluation again = Evaluate(graph, result.model, data.test);
  EXPECT_EQ(again.loss, told.back().test.loss);
  EXPECT_EQ(again.accuracy, told.back().test.accuracy);
}

TEST(Train, LearnsInBFloat16) {
  const GraphPtr graph = SmallMlp(64, 64, 10);
  TrainOptions options{
      .recipe = {.learning_rate = 3e-3, .epochs = 6, .batch_size = 50},
      .compute = {.precision = Precision::kBFloat16}};
  const TrainResult result = Train(graph, Digits(), options);
  EXPECT_EQ(result.end, TrainEnd::kDone);
  EXPECT_GT(result.epochs.back().test.accuracy, 0.85);
  EXPECT_EQ(result.model.Find("fc1.weight")->dtype, DType::kF32);
}

TEST(Train, LearnsWithBatchNorm) {
  const GraphPtr graph = SmallConvNet();
  const DataSplits data{.train = Blobs({1, 8, 8}, 4, 200, 1),
                        .test = Blobs({1, 8, 8}, 4, 80, 2)};
  TrainOptions options = ShortTraining();
  options.recipe.epochs = 8;
  for (const Precision precision :
       {Precision::kFloat32, Precision::kFloat64, Precision::kBFloat16}) {
    options.compute.precision = precision;
    const TrainResult result = Train(graph, data, options);
    EXPECT_GT(result.epochs.back().test.accuracy, 0.9);
    EXPECT_NE(FloatsInPlace(*result.model.Find("bn1.running_mean"))[0], 0);
  }
}

TEST(Train, IsAFunctionOfTheSeed) {
  const GraphPtr graph = SmallMlp();
  const auto bytes = [&](uint64_t seed) {
    return BytesOf(Train(graph, SmallData(), ShortTraining(seed)).model);
  };
  EXPECT_EQ(bytes(1), bytes(1));
  EXPECT_NE(bytes(1), bytes(2));
}

TEST(Train, GivesTheSameBytesForAnyNumberOfThreadsWithoutBatchNorm) {
  const GraphPtr graph = GroupNormNet();
  const DataSplits data{.train = Blobs({1, 8, 8}, 4, 400, 1), .test = {}};
  const auto bytes = [&](int64_t batch, Precision precision, int threads) {
    TrainOptions options = ShortTraining();
    options.recipe.epochs = 1;
    options.recipe.batch_size = batch;
    options.compute = {.precision = precision};
    return BytesOf(Train(graph, data, options, {.threads = threads}).model);
  };
  for (const int64_t batch : {200, 50, 20}) {  // of four parts, two and one
    for (const Precision precision :
         {Precision::kFloat32, Precision::kFloat64, Precision::kBFloat16}) {
      EXPECT_EQ(bytes(batch, precision, 1), bytes(batch, precision, 3));
    }
  }
}

TEST(Train, StartsFromTheWeightsGiven) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint start = RandomNetwork(*graph, 9);
  TrainOptions options = ShortTraining();
  options.start = &start;
  options.recipe.learning_rate = 1e-30;
  options.recipe.epochs = 1;
  EXPECT_EQ(BytesOf(Train(graph, SmallData(), options).model), BytesOf(start));
}

TEST(Train, MovesRunningStatisticsAndEvaluationDoesNot) {
  const GraphPtr graph = SmallConvNet();
  const DataSplits data{.train = Blobs({1, 8, 8}, 4, 40, 1), .test = {}};
  TrainOptions options = ShortTraining();
  options.recipe.epochs = 1;
  const Checkpoint model = Train(graph, data, options).model;
  for (const char* name : {"bn1.running_mean", "bn2.running_mean"}) {
    for (double mean : NumbersOf(model, name)) EXPECT_NE(mean, 0);
  }
  for (double variance : NumbersOf(model, "bn2.running_var")) {
    EXPECT_NE(variance, 1);
    EXPECT_GT(variance, 0);
  }
  // Two tests between epochs leave no trace.
  DataSplits tested = data;
  tested.test = Blobs({1, 8, 8}, 4, 40, 2);
  EXPECT_EQ(BytesOf(Train(graph, tested, options).model), BytesOf(model));
}

// One example has no variance.
TEST(Train, SurvivesALastBatchOfOneWithBatchNorm) {
  GraphBuilder g;
  ValueId x = g.Input("input", {kOpenSize, 6}, Kind::kFloat, {"batch"});
  x = zoo::BatchNorm2d(g, "bn", zoo::Linear(g, "fc1", x, 8));
  g.Output(zoo::Linear(g, "fc2", zoo::Relu(g, x), 4), "output");
  const auto graph = std::make_shared<const Graph>(g.Build());
  const DataSplits data{.train = Blobs({6}, 4, 41, 1),
                        .test = Blobs({6}, 4, 8, 1)};
  const TrainResult result = Train(graph, data, ShortTraining());
  EXPECT_EQ(result.end, TrainEnd::kDone);
  EXPECT_TRUE(AllFinite(result.model));
}

TEST(Train, SavesEveryFewEpochs) {
  const GraphPtr graph = SmallMlp();
  std::map<int64_t, std::string> saved;
  TrainOptions options = ShortTraining();
  options.recipe.epochs = 5;
  options.save_every = 2;
  options.save = [&](int64_t epoch, const Checkpoint& model) {
    saved[epoch] = BytesOf(model);
  };
  Train(graph, SmallData(), options);
  ASSERT_EQ(saved.size(), 2u);
  EXPECT_TRUE(saved.contains(2));
  EXPECT_NE(saved.at(2), saved.at(4));
  options.recipe.epochs = 2;
  EXPECT_EQ(BytesOf(Train(graph, SmallData(), options).model), saved.at(2));
}

TEST(Train, KeepsTheLastGoodModelWhenItDiverges) {
  const GraphPtr graph = SmallMlp();
  TrainOptions options = ShortTraining(3);
  options.recipe.optimizer = OptimizerKind::kSgd;
  options.recipe.learning_rate = 1e30;
  const TrainResult result = Train(graph, SmallData(), options);
  EXPECT_EQ(result.end, TrainEnd::kDiverged);
  EXPECT_TRUE(AllFinite(result.model));
  EXPECT_EQ(BytesOf(result.model),
            BytesOf(InitialWeights(*graph, Initialization::kKaiming, 3)));
}

// The step that ruins the weights is the last of an epoch, and its loss was
// still finite.
TEST(Train, SeesThatTheLastStepOfAnEpochRuinedTheWeights) {
  const GraphPtr graph = SmallMlp();
  TrainOptions options = ShortTraining(3);
  options.recipe.optimizer = OptimizerKind::kSgd;
  options.recipe.learning_rate = 1e39;  // beyond float
  options.recipe.batch_size = 90;       // one step an epoch
  for (int64_t epochs : {1, 3}) {
    options.recipe.epochs = epochs;
    const TrainResult result = Train(graph, SmallData(), options);
    EXPECT_EQ(result.end, TrainEnd::kDiverged);
    EXPECT_TRUE(AllFinite(result.model));
  }
}

TEST(Train, RefusesRecipesThatCannotBeMeant) {
  const GraphPtr graph = SmallMlp();
  const auto refuse = [&](const Recipe& recipe, const std::string& says) {
    ExpectError(ErrorCode::kUsage, {says}, [&] {
      TrainOptions options;
      options.recipe = recipe;
      Train(graph, SmallData(), options);
    });
  };
  refuse({.epochs = 0}, "epoch");
  refuse({.batch_size = 0}, "batch");
  refuse({.learning_rate = 0}, "learning rate");
  refuse({.learning_rate = std::nan("")}, "learning rate");
  refuse({.momentum = 1}, "momentum");
  refuse({.weight_decay = -1}, "weight decay");
  refuse({.warmup_epochs = -1}, "warm-up");
}

TEST(Train, RefusesDataThatDoesNotFit) {
  const GraphPtr graph = SmallMlp();
  const auto refuse = [&](const DataSplits& data, const std::string& says) {
    ExpectError(ErrorCode::kMismatch, {says},
                [&] { Train(graph, data, ShortTraining()); });
  };
  refuse({.train = {}, .test = {}}, "empty");
  refuse({.train = Blobs({7}, 4, 8, 1), .test = {}}, "[7]");
  refuse({.train = Blobs({6}, 5, 10, 1), .test = {}}, "5 classes");
  refuse({.train = Blobs({6}, 4, 8, 1), .test = Blobs({7}, 4, 8, 1)}, "[7]");
}

}  // namespace
}  // namespace rebasin
