#include <gtest/gtest.h>

#include <cmath>

#include "nn/small_networks.h"
#include "rebasin/nn/interpolate.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using testing::Blobs;
using testing::GraphPtr;
using testing::NumbersOf;
using testing::RandomNetwork;
using testing::SmallMlp;

double Distance(const Checkpoint& a, const Checkpoint& b) {
  double sum = 0;
  for (const Tensor& tensor : a.tensors()) {
    const auto x = NumbersOf(a, tensor.name), y = NumbersOf(b, tensor.name);
    for (size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  }
  return std::sqrt(sum);
}

double Distance(const std::array<double, 2>& a,
                const std::array<double, 2>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1]);
}

struct Three {
  GraphPtr graph = SmallMlp();
  Checkpoint a = RandomNetwork(*graph, 1);
  Checkpoint b = RandomNetwork(*graph, 2);
  Checkpoint c = RandomNetwork(*graph, 3);
  Dataset data = Blobs({6}, 4, 40, 2);

  Plane Evaluate(const PlaneOptions& options) const {
    return EvaluatePlane(graph, {{{.model = &a}, {.model = &b}, {.model = &c}}},
                         data, options);
  }
};

TEST(Plane, KeepsTheDistancesOfTheModels) {
  const Three three;
  const Plane plane = three.Evaluate({.resolution = 2});
  const auto& [a, b, c] = plane.models;
  EXPECT_EQ(a, (std::array<double, 2>{0, 0}));
  EXPECT_EQ(b[1], 0);
  EXPECT_GT(c[1], 0);
  EXPECT_NEAR(Distance(a, b), Distance(three.a, three.b), 1e-4);
  EXPECT_NEAR(Distance(a, c), Distance(three.a, three.c), 1e-4);
  EXPECT_NEAR(Distance(b, c), Distance(three.b, three.c), 1e-4);
}

TEST(Plane, SpansTheModelsAndAMargin) {
  const Three three;
  const Plane plane = three.Evaluate({.resolution = 3, .margin = 0.5});
  ASSERT_EQ(plane.x.size(), 3u);
  ASSERT_EQ(plane.y.size(), 3u);
  ASSERT_EQ(plane.grid.size(), 9u);
  const double height = plane.models[2][1];
  EXPECT_NEAR(plane.y.front(), -height / 2, 1e-9);
  EXPECT_NEAR(plane.y.back(), 1.5 * height, 1e-9);
  EXPECT_LT(plane.x.front(), 0);
  EXPECT_GT(plane.x.back(), plane.models[1][0]);
  EXPECT_EQ(plane.grid.front().examples, 40);
}

// Without a margin A lies on the lowest row, and C on the highest.
TEST(Plane, HasTheModelsLossesWhereTheyLie) {
  Three three;
  // Then C lies straight above A, and corners are models.
  const auto mix = [](const Checkpoint& x, const Checkpoint& y, double share) {
    return Merge({{{.model = &x}, {.model = &y}}},
                 {.weights = {1 - share, share}});
  };
  const Plane before = three.Evaluate({.resolution = 2});
  const double foot = before.models[2][0] / before.models[1][0];
  ASSERT_GT(foot, 0);
  ASSERT_LT(foot, 1);
  three.a = mix(three.a, three.b, foot);
  const Plane plane = three.Evaluate({.resolution = 5, .margin = 0});
  EXPECT_NEAR(plane.models[2][0], 0, 1e-4);
  const auto loss = [&](const Checkpoint& model) {
    return Evaluate(three.graph, model, three.data).loss;
  };
  EXPECT_NEAR(plane.grid[0].loss, loss(three.a), 1e-4);
  EXPECT_NEAR(plane.grid[4].loss, loss(three.b), 1e-4);
  EXPECT_NEAR(plane.grid[20].loss, loss(three.c), 1e-4);
  EXPECT_NEAR(plane.grid[2].loss, loss(mix(three.a, three.b, 0.5)), 1e-4);
  EXPECT_NEAR(plane.grid[10].loss, loss(mix(three.a, three.c, 0.5)), 1e-4);
}

TEST(Plane, RefusesModelsOnOneLine) {
  Three three;
  three.c = Merge({{{.model = &three.a}, {.model = &three.b}}},
                  {.weights = {0.25, 0.75}});
  ExpectError(ErrorCode::kUsage, {"on one line"},
              [&] { three.Evaluate({.resolution = 2}); });
  three.b = three.a;
  ExpectError(ErrorCode::kUsage, {"on one line"},
              [&] { three.Evaluate({.resolution = 2}); });
}

TEST(Plane, RefusesASideOfOnePoint) {
  const Three three;
  ExpectError(ErrorCode::kUsage, {"two points"},
              [&] { three.Evaluate({.resolution = 1}); });
}

}  // namespace
}  // namespace rebasin
