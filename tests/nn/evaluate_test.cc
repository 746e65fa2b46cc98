#include "rebasin/nn/evaluate.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "nn/small_networks.h"
#include "rebasin/nn/train.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using testing::Blobs;
using testing::Changed;
using testing::FixedBatchMlp;
using testing::GraphPtr;
using testing::MlpWithSoftmax;
using testing::RandomNetwork;
using testing::SmallConvNet;
using testing::SmallMlp;

void ExpectSameBits(const Evaluation& a, const Evaluation& b) {
  EXPECT_EQ(a.examples, b.examples);
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(a.accuracy, b.accuracy);
  EXPECT_EQ(a.top5, b.top5);
  EXPECT_EQ(a.calibration_error, b.calibration_error);
  EXPECT_EQ(a.temperature, b.temperature);
  EXPECT_EQ(a.calibrated_loss, b.calibrated_loss);
}

TEST(Evaluate, GivesTheSameBitsForAnyNumberOfThreads) {
  const GraphPtr graph = SmallConvNet();
  const Checkpoint model = RandomNetwork(*graph, 1);
  const Dataset data = Blobs({1, 8, 8}, 4, 203, 2);
  const EvaluateOptions options{.batch_size = 20, .find_temperature = true};
  const Evaluation one = Evaluate(graph, model, data, options, {.threads = 1});
  for (int threads : {2, 3, 7}) {
    ExpectSameBits(Evaluate(graph, model, data, options, {.threads = threads}),
                   one);
  }
  EXPECT_EQ(one.examples, 203);
}

TEST(Evaluate, GivesTheSameForAnyBatchSize) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint model = RandomNetwork(*graph, 1);
  const Dataset data = Blobs({6}, 4, 101, 2);
  const Evaluation whole = Evaluate(graph, model, data, {.batch_size = 1000});
  for (int64_t size : {1, 7, 100, 101}) {
    const Evaluation part = Evaluate(graph, model, data, {.batch_size = size});
    EXPECT_EQ(part.examples, whole.examples);
    EXPECT_EQ(part.accuracy, whole.accuracy);
    EXPECT_NEAR(part.loss, whole.loss, 1e-6);
    EXPECT_NEAR(part.calibration_error, whole.calibration_error, 1e-6);
  }
}

TEST(Evaluate, AgreesInDouble) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint model = RandomNetwork(*graph, 1);
  const Dataset data = Blobs({6}, 4, 50, 2);
  const Evaluation in_float = Evaluate(graph, model, data);
  const Evaluation in_double = Evaluate(
      graph, model, data, {.compute = {.precision = Precision::kFloat64}});
  EXPECT_NEAR(in_float.loss, in_double.loss, 1e-5);
}

TEST(Evaluate, AgreesRoughlyInBFloat16WithBatchNorm) {
  const GraphPtr graph = SmallConvNet();
  const Checkpoint model = RandomNetwork(*graph, 3);
  const Dataset data = Blobs({1, 8, 8}, 4, 40, 1);
  const double loss = Evaluate(graph, model, data).loss;
  const EvaluateOptions half{.compute = {.precision = Precision::kBFloat16}};
  EXPECT_NEAR(Evaluate(graph, model, data, half).loss, loss, 0.02 * loss);
}

TEST(Evaluate, ReportsProgressToTheEnd) {
  const GraphPtr graph = SmallMlp();
  int64_t last = 0;
  Evaluate(graph, RandomNetwork(*graph, 1), Blobs({6}, 4, 25, 2),
           {.batch_size = 10}, {.progress = [&](const Progress& now) {
             EXPECT_EQ(now.total, 25);
             EXPECT_GT(now.done, last);
             last = now.done;
           }});
  EXPECT_EQ(last, 25);
}

TEST(Evaluate, StopsWhenAskedTo) {
  const GraphPtr graph = SmallMlp();
  int batches = 0;
  ExpectError(ErrorCode::kStopped, {"stopped"}, [&] {
    Evaluate(graph, RandomNetwork(*graph, 1), Blobs({6}, 4, 25, 2),
             {.batch_size = 1},
             {.threads = 1, .stop = [&] { return ++batches == 3; }});
  });
  EXPECT_EQ(batches, 3);
}

// The loss over a Softmax taken for logits would lie near log(4).
TEST(Evaluate, SeesThroughASoftmaxAtTheEnd) {
  const GraphPtr softmax = MlpWithSoftmax();
  const GraphPtr plain = FixedBatchMlp(10);  // the same without it
  const Checkpoint model = RandomNetwork(*softmax, 3);
  const Dataset data = Blobs({6}, 4, 60, 2);
  const Evaluation with = Evaluate(softmax, model, data);
  const Evaluation without = Evaluate(plain, model, data);
  EXPECT_NEAR(with.loss, without.loss, 1e-6);
  EXPECT_EQ(with.accuracy, without.accuracy);
}

TEST(Evaluate, RunsAGraphThatIsMadeForOneBatchSize) {
  const Checkpoint model = RandomNetwork(*MlpWithSoftmax(), 3);
  const Dataset data = Blobs({2, 3}, 4, 23, 2);
  const Evaluation one = Evaluate(FixedBatchMlp(1), model, data);
  const Evaluation seven = Evaluate(FixedBatchMlp(7), model, data);
  const Evaluation more = Evaluate(FixedBatchMlp(100), model, data);
  EXPECT_EQ(one.examples, 23);
  EXPECT_EQ(seven.examples, 23);
  EXPECT_NEAR(one.loss, seven.loss, 1e-6);
  EXPECT_NEAR(one.loss, more.loss, 1e-6);
  EXPECT_EQ(one.accuracy, seven.accuracy);
}

TEST(Evaluate, FindsTheModelThatWasScaledTooSure) {
  const GraphPtr graph = SmallMlp();
  const DataSplits training{.train = Blobs({6}, 4, 200, 1), .test = {}};
  const Checkpoint model =
      Train(graph, training,
            {.recipe = {.learning_rate = 0.01, .epochs = 4, .batch_size = 20}})
          .model;
  const Checkpoint sure =
      Changed(Changed(model, "fc3.weight", 3), "fc3.bias", 3);
  const Dataset data = Blobs({6}, 4, 200, 2);
  const EvaluateOptions options{.find_temperature = true};
  const Evaluation before = Evaluate(graph, model, data, options);
  const Evaluation after = Evaluate(graph, sure, data, options);
  EXPECT_NEAR(after.temperature / before.temperature, 3, 0.1);
  EXPECT_EQ(after.accuracy, before.accuracy);
}

TEST(EvaluateEnsemble, OfOneModelAloneOrTwiceIsThatModel) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint model = RandomNetwork(*graph, 1);
  const Dataset data = Blobs({6}, 4, 50, 2);
  const Evaluation alone = Evaluate(graph, model, data);
  const std::array<Checkpoint, 1> one = {model};
  const std::array<Checkpoint, 2> twice = {model, model};
  ExpectSameBits(EvaluateEnsemble(graph, one, data), alone);
  EXPECT_NEAR(EvaluateEnsemble(graph, twice, data).loss, alone.loss, 1e-6);
}

// By convexity of the cross-entropy.
TEST(EvaluateEnsemble, IsNoWorseThanItsModelsAre) {
  const GraphPtr graph = SmallMlp();
  const std::array<Checkpoint, 2> models = {RandomNetwork(*graph, 1),
                                            RandomNetwork(*graph, 2)};
  const Dataset data = Blobs({6}, 4, 100, 2);
  const double mean = (Evaluate(graph, models[0], data).loss +
                       Evaluate(graph, models[1], data).loss) /
                      2;
  const Evaluation ensemble = EvaluateEnsemble(graph, models, data);
  EXPECT_LT(ensemble.loss, mean);
  EXPECT_EQ(ensemble.examples, 100);
}

TEST(Evaluate, RefusesExamplesOfAnotherShape) {
  const GraphPtr graph = SmallConvNet();
  const Checkpoint model = RandomNetwork(*graph, 1);
  ExpectError(ErrorCode::kMismatch, {"[1, 8, 8]", "[1, 9, 9]"}, [&] {
    Evaluate(graph, model, Blobs({1, 9, 9}, 4, 8, 1));
  });
}

TEST(Evaluate, RefusesDataWithoutLabels) {
  const GraphPtr graph = SmallMlp();
  const Dataset data("vectors", {6}, std::vector<float>(12), {}, 0);
  ExpectError(ErrorCode::kMismatch, {"vectors", "no labels"},
              [&] { Evaluate(graph, RandomNetwork(*graph, 1), data); });
}

TEST(Evaluate, RefusesMoreClassesThanOutputs) {
  const GraphPtr graph = SmallMlp();
  ExpectError(ErrorCode::kMismatch, {"5 classes", "4"}, [&] {
    Evaluate(graph, RandomNetwork(*graph, 1), Blobs({6}, 5, 10, 1));
  });
}

TEST(Evaluate, RefusesNoData) {
  const GraphPtr graph = SmallMlp();
  ExpectError(ErrorCode::kMismatch, {"empty"},
              [&] { Evaluate(graph, RandomNetwork(*graph, 1), Dataset()); });
}

TEST(Evaluate, RefusesDevicesThatThereAreNot) {
  const GraphPtr graph = SmallMlp();
  ExpectError(ErrorCode::kUsage, {"\"abacus\"", "cpu"}, [&] {
    Evaluate(graph, RandomNetwork(*graph, 1), Blobs({6}, 4, 10, 1),
             {.compute = {.device = "abacus"}});
  });
}

}  // namespace
}  // namespace rebasin
