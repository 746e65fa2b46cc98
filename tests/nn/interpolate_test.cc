#include "rebasin/nn/interpolate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nn/small_networks.h"
#include "rebasin/discovery.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using testing::Blobs;
using testing::GraphPtr;
using testing::RandomNetwork;
using testing::SmallMlp;

std::vector<LinePoint> LineOf(const std::vector<double>& losses) {
  std::vector<LinePoint> points;
  for (size_t i = 0; i < losses.size(); ++i) {
    const double lambda =
        static_cast<double>(i) / static_cast<double>(losses.size() - 1);
    points.push_back(
        {.lambda = lambda,
         .test = {.examples = 1, .loss = losses[i], .accuracy = lambda}});
  }
  return points;
}

Barrier TestBarrier(const std::vector<double>& losses) {
  return BarrierOf(LineOf(losses), &LinePoint::test);
}

TEST(Barrier, IsTheWorstLossAboveTheMeanOfTheEnds) {
  const Barrier barrier = TestBarrier({1, 2, 5, 4, 3});
  EXPECT_DOUBLE_EQ(barrier.loss, 3);
  EXPECT_DOUBLE_EQ(barrier.at, 0.5);
  EXPECT_DOUBLE_EQ(barrier.midpoint_loss, 5);
  EXPECT_DOUBLE_EQ(barrier.midpoint_accuracy, 0.5);
}

TEST(Barrier, MayLieAtAnEnd) {
  const Barrier barrier = TestBarrier({4, 1, 1, 1, 2});
  EXPECT_DOUBLE_EQ(barrier.loss, 1);
  EXPECT_DOUBLE_EQ(barrier.at, 0);
  EXPECT_DOUBLE_EQ(TestBarrier({2, 2, 2}).loss, 0);
}

TEST(Barrier, TakesThePointNextToTheMiddle) {
  std::vector<LinePoint> points = LineOf({1, 7, 3, 1});
  points[2].lambda = 0.55;
  EXPECT_DOUBLE_EQ(BarrierOf(points, &LinePoint::test).midpoint_loss, 3);
}

TEST(Barrier, OfALossThatIsNotANumberIsNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Barrier inside = TestBarrier({1, 9, nan, 5, 1});
  EXPECT_TRUE(std::isnan(inside.loss));
  EXPECT_DOUBLE_EQ(inside.at, 0.5);
  EXPECT_TRUE(std::isnan(TestBarrier({nan, 2, 1}).loss));
  EXPECT_TRUE(std::isnan(TestBarrier({1, 2, nan}).loss));
}

TEST(Barrier, OfNoDataIsZero) {
  EXPECT_EQ(BarrierOf({}, &LinePoint::train).loss, 0);
  EXPECT_EQ(BarrierOf(LineOf({1, 2, 1}), &LinePoint::train).loss, 0);
}

TEST(Interpolate, StartsAndEndsAtTheModels) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint a = RandomNetwork(*graph, 1), b = RandomNetwork(*graph, 2);
  const DataSplits data{.train = Blobs({6}, 4, 40, 1),
                        .test = Blobs({6}, 4, 60, 2)};
  const Line line =
      Interpolate(graph, {.model = &a}, {.model = &b}, data, {.points = 5});
  ASSERT_EQ(line.points.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_DOUBLE_EQ(line.points[i].lambda, static_cast<double>(i) / 4);
    EXPECT_EQ(line.points[i].train.examples, 40);
    EXPECT_EQ(line.points[i].test.examples, 60);
  }
  EXPECT_EQ(line.points.front().train.loss,
            Evaluate(graph, a, data.train).loss);
  EXPECT_EQ(line.points.front().test.loss, Evaluate(graph, a, data.test).loss);
  EXPECT_EQ(line.points.back().test.loss, Evaluate(graph, b, data.test).loss);
  EXPECT_EQ(line.points.back().test.accuracy,
            Evaluate(graph, b, data.test).accuracy);
}

TEST(Interpolate, LeavesOutPartsThatThereAreNot) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint a = RandomNetwork(*graph, 1), b = RandomNetwork(*graph, 2);
  const DataSplits data{.train = {}, .test = Blobs({6}, 4, 20, 2)};
  const Line line =
      Interpolate(graph, {.model = &a}, {.model = &b}, data, {.points = 2});
  EXPECT_EQ(line.points[0].train.examples, 0);
  EXPECT_EQ(line.train.loss, 0);
  ExpectError(ErrorCode::kMismatch, {"empty"}, [&] {
    Interpolate(graph, {.model = &a}, {.model = &b}, {}, {.points = 2});
  });
  ExpectError(ErrorCode::kUsage, {"two points", "1"}, [&] {
    Interpolate(graph, {.model = &a}, {.model = &b}, data, {.points = 1});
  });
}

TEST(Interpolate, IsFlatBetweenAModelAndItsPermutedSelfOnceAligned) {
  const GraphPtr graph = SmallMlp();
  const auto symmetry =
      std::make_shared<const Symmetry>(Discover(*graph).symmetry);
  const Checkpoint a = RandomNetwork(*graph, 1);
  const Alignment moved = Alignment::Random(symmetry, 5);
  const Alignment back = moved.Inverse();
  const Checkpoint b = Permute(a, moved);
  const DataSplits data{.train = {}, .test = Blobs({6}, 4, 60, 2)};
  const InterpolateOptions options{.points = 5};
  const Line naive =
      Interpolate(graph, {.model = &a}, {.model = &b}, data, options);
  const Line aligned = Interpolate(
      graph, {.model = &a}, {.model = &b, .alignment = &back}, data, options);
  EXPECT_NE(naive.points[2].test.loss, naive.points[0].test.loss);
  for (const LinePoint& point : aligned.points) {
    EXPECT_NEAR(point.test.loss, aligned.points[0].test.loss, 1e-6);
  }
  EXPECT_NEAR(aligned.test.loss, 0, 1e-6);
}

TEST(Interpolate, RepairsAllPointsButTheEnds) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint a = RandomNetwork(*graph, 1), b = RandomNetwork(*graph, 2);
  const DataSplits data{.train = {}, .test = Blobs({6}, 4, 20, 2)};
  std::vector<double> asked;
  const Line line = Interpolate(
      graph, {.model = &a}, {.model = &b}, data,
      {.points = 4, .repair = [&](const Checkpoint&, double lambda) {
         asked.push_back(lambda);
         return a;
       }});
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_DOUBLE_EQ(asked[0], 1.0 / 3);
  EXPECT_DOUBLE_EQ(asked[1], 2.0 / 3);
  EXPECT_EQ(line.points[1].test.loss, line.points[0].test.loss);
  EXPECT_NE(line.points[3].test.loss, line.points[0].test.loss);
}

TEST(Interpolate, TellsHowFarItIs) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint a = RandomNetwork(*graph, 1), b = RandomNetwork(*graph, 2);
  std::vector<int64_t> told;
  Interpolate(graph, {.model = &a}, {.model = &b},
              {.train = {}, .test = Blobs({6}, 4, 20, 2)}, {.points = 3},
              {.progress = [&](const Progress& now) {
                EXPECT_EQ(now.total, 3);
                told.push_back(now.done);
              }});
  EXPECT_EQ(told, (std::vector<int64_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace rebasin
