#include "report/marching_squares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "report/samples.h"

namespace rebasin {
namespace {

using ::rebasin::testing::Steps;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Sampled {
  Sampled(std::vector<double> xs, std::vector<double> ys,
          const std::function<double(double, double)>& f)
      : x(std::move(xs)), y(std::move(ys)) {
    for (double b : y) {
      for (double a : x) z.push_back(f(a, b));
    }
  }
  ScalarField field() const { return {x, y, z}; }

  std::vector<double> x, y, z;
};

Sampled Square(std::vector<double> z) {
  Sampled sampled({0, 1}, {0, 1}, [](double, double) { return 0; });
  sampled.z = std::move(z);
  return sampled;
}

// Positive for polygons that run round from x to y.
double SignedArea(const std::vector<Point>& polygon) {
  double twice = 0;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Point &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  return twice / 2;
}

double Area(const ScalarField& field, double level) {
  double sum = 0;
  for (const auto& polygon : RegionAbove(field, level)) {
    const double area = SignedArea(polygon);
    EXPECT_GE(area, 0);
    sum += area;
  }
  return sum;
}

TEST(MarchingSquares, FindsAStraightLine) {
  const Sampled plane(Steps(0, 4, 5), Steps(0, 2, 3),
                      [](double x, double) { return x; });
  const auto lines = LevelLines(plane.field(), 1.25);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_FALSE(lines[0].closed);
  EXPECT_THAT(lines[0].points, SizeIs(3));
  for (const Point& point : lines[0].points) EXPECT_EQ(point.x, 1.25);
  EXPECT_DOUBLE_EQ(Area(plane.field(), 1.25), 2.75 * 2);
}

TEST(MarchingSquares, FindsACircle) {
  const auto places = Steps(-1.5, 1.5, 61);
  const Sampled cone(places, places,
                     [](double x, double y) { return 2 - std::hypot(x, y); });
  const auto lines = LevelLines(cone.field(), 1);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_TRUE(lines[0].closed);
  for (const Point& point : lines[0].points) {
    EXPECT_NEAR(std::hypot(point.x, point.y), 1, 1e-3);
  }
  EXPECT_NEAR(std::abs(SignedArea(lines[0].points)), std::numbers::pi, 0.01);
  EXPECT_NEAR(Area(cone.field(), 1), std::numbers::pi, 0.01);
}

TEST(MarchingSquares, KeepsPeaksApart) {
  const auto places = Steps(-4, 4, 50);
  const Sampled peaks(places, places, [](double x, double y) {
    return std::exp(-(x - 1.5) * (x - 1.5) - y * y) +
           std::exp(-(x + 1.5) * (x + 1.5) - y * y);
  });
  EXPECT_THAT(LevelLines(peaks.field(), 0.5), SizeIs(2));
  EXPECT_THAT(LevelLines(peaks.field(), 0.1), SizeIs(1));
  EXPECT_THAT(LevelLines(peaks.field(), 1.5), IsEmpty());
}

TEST(MarchingSquares, ResolvesSaddlesByTheMean) {
  // Corners 0 and 2 are high. The mean is 0.5.
  const Sampled saddle = Square({1, 0, 0, 1});
  // Below the mean the high corners hang together: the low ones are cut off.
  EXPECT_THAT(LevelLines(saddle.field(), 0.25), SizeIs(2));
  EXPECT_THAT(RegionAbove(saddle.field(), 0.25), SizeIs(1));
  EXPECT_DOUBLE_EQ(Area(saddle.field(), 0.25), 1 - 2 * 0.25 * 0.25 / 2);
  // Above it they are tips by themselves.
  EXPECT_THAT(RegionAbove(saddle.field(), 0.75), SizeIs(2));
  EXPECT_DOUBLE_EQ(Area(saddle.field(), 0.75), 2 * 0.25 * 0.25 / 2);
  const Sampled other = Square({0, 1, 1, 0});
  EXPECT_DOUBLE_EQ(Area(other.field(), 0.25), 1 - 2 * 0.25 * 0.25 / 2);
  EXPECT_DOUBLE_EQ(Area(other.field(), 0.75), 2 * 0.25 * 0.25 / 2);
}

TEST(MarchingSquares, LinesAreTheEdgesOfRegions) {
  const Sampled saddle = Square({1, 0, 0, 1});
  for (double level : {0.25, 0.75}) {
    for (const LevelLine& line : LevelLines(saddle.field(), level)) {
      ASSERT_THAT(line.points, SizeIs(2));
      // Either near (1, 0) and (0, 1), or near (0, 0) and (1, 1).
      const double cross = std::abs(line.points[0].x - line.points[1].x);
      EXPECT_DOUBLE_EQ(cross, 0.25);
    }
  }
}

TEST(MarchingSquares, LeavesOutWhatIsNotFinite) {
  Sampled plane(Steps(0, 4, 5), Steps(0, 4, 5),
                [](double x, double) { return x; });
  plane.z[12] = kNan;  // in the middle: four cells of sixteen
  const double all = -std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(Area(plane.field(), all), 12);
  EXPECT_THAT(LevelLines(plane.field(), 1.5), SizeIs(2));
  plane.z[12] = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(Area(plane.field(), all), 12);
}

TEST(MarchingSquares, FindsNothingInConstants) {
  const Sampled flat = Square({2, 2, 2, 2});
  EXPECT_THAT(LevelLines(flat.field(), 2), IsEmpty());
  EXPECT_THAT(RegionAbove(flat.field(), 3), IsEmpty());
  EXPECT_DOUBLE_EQ(Area(flat.field(), 2), 1);
}

}  // namespace
}  // namespace rebasin
