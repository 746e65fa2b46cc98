#include "nn/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace rebasin::nn {
namespace {

struct Example {
  std::vector<float> logits;
  int64_t label = 0;
};

Evaluation ScoreOf(const std::vector<Example>& examples, int bins = 15,
                   bool find_temperature = false) {
  Score score(bins, find_temperature);
  for (const Example& example : examples) {
    score.Add(example.logits, example.label);
  }
  return score.Result();
}

// Logits such that labels are drawn from their softmax: calibrated.
std::vector<Example> CalibratedExamples(int count, int classes) {
  Random random(5);
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) {
    Example example;
    double sum = 0;
    for (int c = 0; c < classes; ++c) {
      example.logits.push_back(static_cast<float>(1.5 * random.Normal()));
      sum += std::exp(example.logits.back());
    }
    double left = random.Uniform() * sum;
    while (example.label + 1 < classes &&
           (left -= std::exp(example.logits[example.label])) > 0) {
      ++example.label;
    }
    examples.push_back(example);
  }
  return examples;
}

TEST(Score, IsTheMeanCrossEntropy) {
  const double a = std::log(3.0), b = std::log(6.0);
  // Probabilities 0.1, 0.3, 0.6.
  const std::vector<float> logits = {0, static_cast<float>(a),
                                     static_cast<float>(b)};
  const Evaluation result = ScoreOf({{logits, 2}, {logits, 0}, {logits, 2}});
  EXPECT_EQ(result.examples, 3);
  EXPECT_NEAR(result.loss, -(2 * std::log(0.6) + std::log(0.1)) / 3, 1e-6);
  EXPECT_DOUBLE_EQ(result.accuracy, 2.0 / 3);
  EXPECT_EQ(result.top5, 0);  // three classes
  EXPECT_EQ(result.temperature, 1);
}

TEST(Score, GivesTiesToTheFirstOfTheBest) {
  const std::vector<float> equal(7, 1.0F);
  const Evaluation result =
      ScoreOf({{equal, 0}, {equal, 1}, {equal, 4}, {equal, 5}, {equal, 6}});
  EXPECT_DOUBLE_EQ(result.accuracy, 1.0 / 5);  // only label 0
  EXPECT_DOUBLE_EQ(result.top5, 3.0 / 5);      // labels 0, 1 and 4
  EXPECT_NEAR(result.loss, std::log(7.0), 1e-12);
}

TEST(Score, CountsTheLabelAmongTheFiveBest) {
  const std::vector<float> falling = {6, 5, 4, 3, 2, 1};
  EXPECT_EQ(ScoreOf({{falling, 4}}).top5, 1);
  EXPECT_EQ(ScoreOf({{falling, 5}}).top5, 0);
  EXPECT_EQ(ScoreOf({{{5, 4, 3, 2, 1}, 0}}).top5, 0);  // five say nothing
}

TEST(Score, BinsByConfidenceAsABruteForceDoes) {
  const std::vector<Example> examples = CalibratedExamples(500, 4);
  const int bins = 7;
  std::vector<double> count(bins), confidence(bins), correct(bins);
  for (const Example& example : examples) {
    double sum = 0, best = -1;
    int64_t predicted = 0;
    for (float logit : example.logits) sum += std::exp(double{logit});
    for (size_t c = 0; c < example.logits.size(); ++c) {
      const double share = std::exp(double{example.logits[c]}) / sum;
      if (share > best) predicted = static_cast<int64_t>(c);
      best = std::max(best, share);
    }
    const int bin = std::min(bins - 1, static_cast<int>(best * bins));
    count[bin] += 1;
    confidence[bin] += best;
    correct[bin] += predicted == example.label;
  }
  const Evaluation result = ScoreOf(examples, bins);
  double error = 0;
  ASSERT_EQ(result.bins.size(), 7u);
  for (int b = 0; b < bins; ++b) {
    EXPECT_EQ(static_cast<double>(result.bins[b].count), count[b]);
    const double all = std::max(count[b], 1.0);
    EXPECT_NEAR(result.bins[b].confidence, confidence[b] / all, 1e-9);
    EXPECT_NEAR(result.bins[b].accuracy, correct[b] / all, 1e-9);
    error += std::abs(confidence[b] - correct[b]) / 500;
  }
  EXPECT_NEAR(result.calibration_error, error, 1e-9);
  EXPECT_LT(result.calibration_error, 0.1);
}

TEST(Score, PutsCertaintyIntoTheLastBin) {
  const Evaluation result = ScoreOf({{{1000, 0}, 0}}, 4);
  EXPECT_EQ(result.bins.back().count, 1);
  EXPECT_EQ(result.loss, 0);
  EXPECT_EQ(ScoreOf({{{1000, 0}, 1}}, 4).loss, 1000);
}

TEST(Score, TakesWhatIsNotANumberForWrong) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Evaluation result = ScoreOf({{{nan, 0}, 0}, {{2, 1}, 0}});
  EXPECT_TRUE(std::isnan(result.loss));
  EXPECT_EQ(result.accuracy, 0.5);
  int64_t counted = 0;
  for (const ReliabilityBin& bin : result.bins) counted += bin.count;
  EXPECT_EQ(counted, 2);
  EXPECT_TRUE(std::isfinite(result.calibration_error));
}

TEST(Score, TakesInfinityForNoAnswer) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Evaluation result = ScoreOf({{{infinity, 0}, 0}, {{2, 1}, 0}});
  EXPECT_TRUE(std::isnan(result.loss));
  EXPECT_EQ(result.accuracy, 0.5);
  EXPECT_TRUE(std::isfinite(result.calibration_error));
  // A class that is impossible is an answer.
  EXPECT_NEAR(ScoreOf({{{-infinity, 0, 0}, 1}}).loss, std::log(2.0), 1e-12);
  EXPECT_EQ(ScoreOf({{{-infinity, 0, 0}, 0}}).loss,
            std::numeric_limits<double>::infinity());
}

TEST(Score, FindsTheTemperature) {
  std::vector<Example> examples = CalibratedExamples(4000, 5);
  const Evaluation fair = ScoreOf(examples, 15, true);
  EXPECT_NEAR(fair.temperature, 1, 0.1);
  EXPECT_LE(fair.calibrated_loss, fair.loss);
  for (Example& example : examples) {
    for (float& logit : example.logits) logit *= 3;
  }
  const Evaluation sure = ScoreOf(examples, 15, true);
  EXPECT_NEAR(sure.temperature / fair.temperature, 3, 0.02);
  EXPECT_NEAR(sure.calibrated_loss, fair.calibrated_loss, 1e-4);
  EXPECT_GT(sure.loss, fair.loss);
}

TEST(Score, OfPartsAddsUpToThatOfTheWhole) {
  const std::vector<Example> examples = CalibratedExamples(100, 8);
  Score whole(15, true), sum(15, true), first(15, true), second(15, true);
  for (size_t i = 0; i < examples.size(); ++i) {
    whole.Add(examples[i].logits, examples[i].label);
    (i < 30 ? first : second).Add(examples[i].logits, examples[i].label);
  }
  sum.Add(first);
  sum.Add(second);
  const Evaluation a = whole.Result(), b = sum.Result();
  EXPECT_EQ(a.examples, b.examples);
  EXPECT_EQ(a.accuracy, b.accuracy);
  EXPECT_EQ(a.top5, b.top5);
  EXPECT_NEAR(a.loss, b.loss, 1e-12);
  EXPECT_NEAR(a.calibration_error, b.calibration_error, 1e-12);
  EXPECT_NEAR(a.temperature, b.temperature, 1e-9);
}

}  // namespace
}  // namespace rebasin::nn
