#include "rebasin/nn/straight_through.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nn/small_networks.h"
#include "rebasin/discovery.h"
#include "rebasin/merge.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using testing::Blobs;
using testing::Changed;
using testing::Digits;
using testing::GraphPtr;
using testing::RandomNetwork;
using testing::SmallConvNet;
using testing::SmallMlp;

using SymmetryPtr = std::shared_ptr<const Symmetry>;

Checkpoint Trained(const GraphPtr& graph, const DataSplits& data,
                   uint64_t seed) {
  TrainOptions options{
      .recipe = {
          .learning_rate = 5e-3, .epochs = 8, .batch_size = 50, .seed = seed}};
  return Train(graph, {.train = data.train, .test = {}}, options,
               {.threads = 1})
      .model;
}

// Two networks that know digits, trained once for all tests.
struct Pair {
  GraphPtr graph = SmallMlp(64, 32, 10);
  SymmetryPtr symmetry =
      std::make_shared<const Symmetry>(Discover(*graph).symmetry);
  DataSplits data = Digits();
  Checkpoint a = Trained(graph, data, 1);
  Checkpoint b = Trained(graph, data, 2);
};

const Pair& Networks() {
  static const auto* const pair = new Pair;
  return *pair;
}

StraightThroughOptions Short() {
  StraightThroughOptions options{.learning_rate = 3e-3,
                                 .batch_size = 50,
                                 .max_epochs = 3,
                                 .held_out = 300,
                                 .evaluate_every = 10};
  return options;
}

StraightThroughResult RunMatching(const StraightThroughOptions& options,
                                  const Run& run = {.threads = 1}) {
  const Pair& pair = Networks();
  return MatchStraightThrough(pair.graph, pair.a, pair.b, pair.symmetry,
                              pair.data.train, options, run);
}

double MidpointLoss(const Pair& pair, const Alignment& alignment) {
  const Checkpoint middle =
      Merge({{{&pair.a, nullptr}, {&pair.b, &alignment}}});
  return Evaluate(pair.graph, middle, pair.data.test).loss;
}

double LowestLoss(const StraightThroughResult& result) {
  double lowest = result.history.front().loss;
  for (const auto& point : result.history) {
    lowest = std::min(lowest, point.loss);
  }
  return lowest;
}

void ExpectSound(const StraightThroughResult& result) {
  ASSERT_FALSE(result.history.empty());
  EXPECT_EQ(result.history.front().step, 0);
  EXPECT_EQ(result.history.front().units_moved, 0);
  EXPECT_EQ(result.start_loss, result.history.front().loss);
  EXPECT_EQ(result.best_loss, LowestLoss(result));
  EXPECT_LE(result.best_loss, result.start_loss);
  const auto best = std::find_if(
      result.history.begin(), result.history.end(),
      [&](const auto& point) { return point.loss == result.best_loss; });
  EXPECT_EQ(result.best_step, best->step);
  EXPECT_GT(result.report.norm_b, 0);
}

TEST(StraightThrough, ImprovesARandomPermutation) {
  const Pair& pair = Networks();
  const auto start = Alignment::Random(pair.symmetry, 7);
  StraightThroughOptions options = Short();
  options.start = &start;
  const StraightThroughResult result = RunMatching(options);
  ExpectSound(result);
  EXPECT_LT(result.best_loss, 0.7 * result.start_loss);
  EXPECT_LT(MidpointLoss(pair, result.alignment),
            0.8 * MidpointLoss(pair, start));
  EXPECT_GT(result.best_step, 0);
  EXPECT_EQ(result.steps, 3 * 22);  // full batches of the 1137 that are left
  EXPECT_EQ(result.history.back().step, result.steps);
}

TEST(StraightThrough, IsNoWorseThanTheWeightMatchingItStartsFrom) {
  const Pair& pair = Networks();
  const StraightThroughResult result = RunMatching(Short());
  ExpectSound(result);
  const Alignment matched =
      MatchWeights(pair.a, pair.b, pair.symmetry).alignment;
  StraightThroughOptions options = Short();
  options.start = &matched;
  EXPECT_EQ(RunMatching(options).alignment, result.alignment);
}

// All that is held back is known here, so that the loss can be measured again.
TEST(StraightThrough, ReturnsTheBestSeenWhenItGetsWorse) {
  const Pair& pair = Networks();
  StraightThroughOptions options = Short();
  options.learning_rate = 0.3;  // far too much
  options.evaluate_every = 1;
  options.patience = 4;
  const StraightThroughResult result = RunMatching(options);
  ExpectSound(result);
  EXPECT_EQ(result.end, StraightThroughEnd::kPatience);
  EXPECT_EQ(result.steps, result.best_step + 4);
  EXPECT_GT(result.history.back().loss, result.best_loss);
  // From the best on, with patience for one: the same point comes first.
  options.start = &result.alignment;
  options.patience = 1;
  EXPECT_EQ(RunMatching(options).start_loss, result.best_loss);
  EXPECT_LE(MidpointLoss(pair, result.alignment), 3);
}

TEST(StraightThrough, FindsThatAPermutedCopyIsTheSame) {
  const Pair& pair = Networks();
  const auto moved = Alignment::Random(pair.symmetry, 3);
  const Checkpoint b = Permute(pair.a, moved);
  const Alignment identity(pair.symmetry);
  StraightThroughOptions options = Short();
  // The loss of A, as measured on what is held back.
  const double loss =
      MatchStraightThrough(pair.graph, pair.a, pair.a, pair.symmetry,
                           pair.data.train, options)
          .start_loss;
  for (const Alignment* start :
       {static_cast<const Alignment*>(nullptr), &identity}) {
    options.start = start;
    const StraightThroughResult result = MatchStraightThrough(
        pair.graph, pair.a, b, pair.symmetry, pair.data.train, options);
    EXPECT_LE(result.best_loss, loss * (1 + 1e-6));
    if (start == nullptr) {
      EXPECT_EQ(result.start_loss, loss);
    }
  }
}

TEST(StraightThrough, GivesTheSameForAnyNumberOfThreads) {
  StraightThroughOptions options = Short();
  const StraightThroughResult one = RunMatching(options);
  const StraightThroughResult two = RunMatching(options, {.threads = 2});
  EXPECT_EQ(one.alignment, two.alignment);
  ASSERT_EQ(one.history.size(), two.history.size());
  for (size_t i = 0; i < one.history.size(); ++i) {
    EXPECT_EQ(one.history[i].loss, two.history[i].loss);
    EXPECT_EQ(one.history[i].train_loss, two.history[i].train_loss);
  }
}

TEST(StraightThrough, IsAFunctionOfTheSeed) {
  StraightThroughOptions options = Short();
  options.max_epochs = 1;
  const double loss = RunMatching(options).history.back().train_loss;
  EXPECT_EQ(RunMatching(options).history.back().train_loss, loss);
  EXPECT_NE(
      RunMatching(options, {.threads = 1, .seed = 1}).history.back().train_loss,
      loss);
}

TEST(StraightThrough, HasVariantsThatAllImproveARandomPermutation) {
  const Pair& pair = Networks();
  const auto start = Alignment::Random(pair.symmetry, 7);
  for (const auto latent :
       {StraightThroughLatent::kPermuted, StraightThroughLatent::kMidpoint}) {
    for (const auto projection : {StraightThroughProjection::kDistance,
                                  StraightThroughProjection::kInnerProduct}) {
      for (const auto from :
           {StraightThroughStart::kModelA, StraightThroughStart::kMidpoint}) {
        StraightThroughOptions options = Short();
        options.start = &start;
        options.latent = latent;
        options.projection = projection;
        options.latent_start = from;
        options.learning_rate = 1e-2;
        const StraightThroughResult result = RunMatching(options);
        ExpectSound(result);
        EXPECT_LT(result.best_loss, 0.9 * result.start_loss)
            << static_cast<int>(latent) << static_cast<int>(projection)
            << static_cast<int>(from);
      }
    }
  }
}

// With the point of B's orbit itself as latent weights nothing moves at first.
TEST(StraightThrough, StaysAtTheStartWhereTheLatentWeightsAreOnTheOrbit) {
  const Pair& pair = Networks();
  const auto start = Alignment::Random(pair.symmetry, 7);
  StraightThroughOptions options = Short();
  options.start = &start;
  options.latent_start = StraightThroughStart::kPermuted;
  options.learning_rate = 1e-6;
  const StraightThroughResult result = RunMatching(options);
  for (const auto& point : result.history) EXPECT_EQ(point.units_moved, 0);
  EXPECT_EQ(result.alignment, start);
  EXPECT_EQ(result.best_step, 0);
}

TEST(StraightThrough, ProjectionsDifferForTheMidpointAlone) {
  const Pair& pair = Networks();
  const auto start = Alignment::Random(pair.symmetry, 7);
  const auto last_loss = [&](StraightThroughLatent latent,
                             StraightThroughProjection projection) {
    StraightThroughOptions options = Short();
    options.start = &start;
    options.latent = latent;
    options.projection = projection;
    return RunMatching(options).history.back().loss;
  };
  using enum StraightThroughProjection;
  EXPECT_EQ(last_loss(StraightThroughLatent::kPermuted, kDistance),
            last_loss(StraightThroughLatent::kPermuted, kInnerProduct));
  EXPECT_NE(last_loss(StraightThroughLatent::kMidpoint, kDistance),
            last_loss(StraightThroughLatent::kMidpoint, kInnerProduct));
}

TEST(StraightThrough, LooksAtPointsAllAlongTheLine) {
  StraightThroughOptions options = Short();
  const StraightThroughResult middle = RunMatching(options);
  options.lambda_low = 0.2;
  options.lambda_high = 0.8;
  const StraightThroughResult line = RunMatching(options);
  ExpectSound(line);
  EXPECT_EQ(line.start_loss, middle.start_loss);  // judged at the midpoint
  EXPECT_NE(line.history.back().train_loss, middle.history.back().train_loss);
}

TEST(StraightThrough, FindsALearningRateThatFitsTheWeights) {
  const Pair& pair = Networks();
  const auto start = Alignment::Random(pair.symmetry, 7);
  StraightThroughOptions options = Short();
  options.start = &start;
  options.learning_rate = 0;
  const StraightThroughResult result = RunMatching(options);
  ExpectSound(result);
  EXPECT_LT(result.best_loss, 0.8 * result.start_loss);
}

TEST(StraightThrough, WorksWithMomentum) {
  const Pair& pair = Networks();
  const auto start = Alignment::Random(pair.symmetry, 7);
  StraightThroughOptions options = Short();
  options.start = &start;
  options.optimizer = OptimizerKind::kSgd;
  options.learning_rate = 0.5;
  const StraightThroughResult result = RunMatching(options);
  ExpectSound(result);
  EXPECT_LT(result.best_loss, 0.8 * result.start_loss);
}

// Judged with the batch's own statistics: those of the models say nothing.
TEST(StraightThrough, WorksWithBatchNorm) {
  const GraphPtr graph = SmallConvNet();
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(*graph).symmetry);
  const DataSplits data{.train = Blobs({1, 8, 8}, 4, 400, 1), .test = {}};
  const Checkpoint a = Trained(graph, data, 1), b = Trained(graph, data, 2);
  const auto start = Alignment::Random(symmetry, 7);
  StraightThroughOptions options = Short();
  options.start = &start;
  options.held_out = 120;
  const auto run = [&](const Checkpoint& model) {
    return MatchStraightThrough(graph, model, b, symmetry, data.train, options);
  };
  const StraightThroughResult result = run(a);
  ExpectSound(result);
  const Checkpoint nonsense = Changed(a, "bn1.running_mean", 0, 1e3);
  EXPECT_EQ(run(nonsense).best_loss, result.best_loss);
}

TEST(StraightThrough, KeepsTheBestWhenItDiverges) {
  StraightThroughOptions options = Short();
  options.optimizer = OptimizerKind::kSgd;
  options.learning_rate = 1e38;
  options.evaluate_every = 1;
  const StraightThroughResult result = RunMatching(options);
  EXPECT_EQ(result.end, StraightThroughEnd::kDiverged);
  ExpectSound(result);
}

// The weights are finite, but what they compute is not.
TEST(StraightThrough, SeesALossThatIsNotFinite) {
  const Pair& pair = Networks();
  const Checkpoint a = Changed(pair.a, "fc3.weight", 1e30);
  const Checkpoint huge = Changed(a, "fc2.weight", 1e30);
  const StraightThroughResult result = MatchStraightThrough(
      pair.graph, huge, pair.b, pair.symmetry, pair.data.train, Short());
  EXPECT_EQ(result.end, StraightThroughEnd::kDiverged);
  EXPECT_EQ(result.best_step, 0);
  EXPECT_TRUE(std::isnan(result.best_loss));
}

TEST(StraightThrough, RefusesOptionsThatCannotBeMeant) {
  using Options = StraightThroughOptions;
  const auto refuse = [&](const std::string& says, auto change) {
    ExpectError(ErrorCode::kUsage, {says}, [&] {
      Options options = Short();
      change(options);
      RunMatching(options);
    });
  };
  refuse("epoch", [](Options& o) { o.max_epochs = 0; });
  refuse("batch", [](Options& o) { o.batch_size = 0; });
  refuse("learning rate", [](Options& o) { o.learning_rate = -1; });
  refuse("learning rate", [](Options& o) { o.learning_rate = NAN; });
  refuse("momentum", [](Options& o) { o.momentum = 1; });
  refuse("lambda", [](Options& o) { o.lambda_low = 0; });
  refuse("lambda", [](Options& o) { o.lambda_high = 0.4; });
  refuse("lambda", [](Options& o) { o.lambda_high = 1.1; });
  refuse("evaluations", [](Options& o) { o.evaluate_every = -1; });
  refuse("patience", [](Options& o) { o.patience = -1; });
  refuse("projection", [](Options& o) { o.projection_share = 0; });
  refuse("hold out", [](Options& o) { o.held_out = 1437; });
  refuse("held-out", [](Options& o) { o.held_out = -1; });
}

TEST(StraightThrough, RefusesDataThatDoesNotFit) {
  const Pair& pair = Networks();
  const auto refuse = [&](const Dataset& data, const std::string& says) {
    ExpectError(ErrorCode::kMismatch, {says}, [&] {
      MatchStraightThrough(pair.graph, pair.a, pair.b, pair.symmetry, data, {});
    });
  };
  refuse({}, "empty");
  refuse(Blobs({64}, 4, 1, 1), "one example");
  refuse(Blobs({63}, 4, 40, 1), "[63]");
  refuse(Blobs({64}, 11, 44, 1), "11 classes");
  refuse(Dataset("unknown", {64}, std::vector<float>(640), {}, 10),
         "no labels");
}

TEST(StraightThrough, RefusesModelsThatDoNotFit) {
  const Pair& pair = Networks();
  const auto refuse = [&](const Checkpoint& b, const SymmetryPtr& symmetry,
                          const Alignment* start, const std::string& says) {
    StraightThroughOptions options = Short();
    options.start = start;
    ExpectError(ErrorCode::kMismatch, {says}, [&] {
      MatchStraightThrough(pair.graph, pair.a, b, symmetry, pair.data.train,
                           options);
    });
  };
  const Checkpoint narrow = RandomNetwork(*SmallMlp(64, 31, 10), 1);
  const Alignment start(pair.symmetry);
  refuse(narrow, pair.symmetry, nullptr, "fc1");
  refuse(narrow, pair.symmetry, &start, "fc1");
  const auto other = std::make_shared<const Symmetry>(
      Discover(*SmallMlp(64, 31, 10)).symmetry);
  const Alignment of_other(other);
  refuse(pair.b, pair.symmetry, &of_other, "another symmetry");
}

}  // namespace
}  // namespace rebasin
