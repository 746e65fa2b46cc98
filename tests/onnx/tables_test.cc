// Tensors that a formula gives.

#include "onnx/tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace rebasin {
namespace {

using Formula = std::function<double(int64_t row, int64_t column)>;

Tensor Matrix(Shape shape, int64_t columns, const Formula& formula,
              DType dtype = DType::kF32) {
  int64_t size = 1;
  for (int64_t n : shape) size *= n;
  std::vector<float> values;
  for (int64_t i = 0; i < size; ++i) {
    values.push_back(static_cast<float>(formula(i / columns, i % columns)));
  }
  return MakeTensor("t", std::move(shape), values, dtype);
}

double Frequency(int64_t index, double base, int64_t width) {
  return std::pow(
      base, -2.0 * static_cast<double>(index) / static_cast<double>(width));
}

// Sines and cosines in turn, as in "Attention is all you need".
double Interleaved(int64_t p, int64_t c) {
  const double angle = static_cast<double>(p) * Frequency(c / 2, 1e4, 64);
  return c % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

// Cosines of rotary embeddings, both halves alike.
double Rotary(int64_t p, int64_t c) {
  return std::cos(static_cast<double>(p) * Frequency(c % 32, 5e5, 64));
}

TEST(Tables, SinesAndCosinesOfPositionsFollowAFormula) {
  EXPECT_TRUE(FollowsFormula(Matrix({512, 64}, 64, Interleaved)));
  EXPECT_TRUE(FollowsFormula(Matrix({1, 1, 2048, 64}, 64, Rotary)));
  EXPECT_TRUE(FollowsFormula(Matrix({1, 2048, 64}, 64, Rotary, DType::kF16)));
  // Positions along the last axis.
  EXPECT_TRUE(FollowsFormula(Matrix(
      {64, 100}, 100, [](auto c, auto p) { return Interleaved(p, c); })));
}

TEST(Tables, SinesThatWereTrainedFollowNone) {
  EXPECT_FALSE(FollowsFormula(Matrix({512, 64}, 64, [](auto p, auto c) {
    return Interleaved(p, c) + (p == 300 && c == 40 ? 0.02 : 0);
  })));
  EXPECT_FALSE(FollowsFormula(Matrix({512, 64}, 64, [](auto p, auto c) {
    return 1.3 * Interleaved(p, c) + 0.1;
  })));
}

TEST(Tables, TrianglesFollowAFormula) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(FollowsFormula(Matrix(
      {1, 2, 5, 5}, 5, [](auto r, auto c) { return c <= r % 5 ? 1.0 : 0.0; })));
  EXPECT_TRUE(FollowsFormula(Matrix(
      {5, 5}, 5, [&](auto r, auto c) { return c < r ? 0.0 : -infinity; })));
  EXPECT_FALSE(FollowsFormula(Matrix(
      {5, 5}, 5, [](auto r, auto c) { return c <= r || r == 0 ? 1.0 : 0.0; })));
}

TEST(Tables, SequencesFollowAFormula) {
  EXPECT_TRUE(
      FollowsFormula(Matrix({1, 50}, 50, [](auto, auto c) { return c; })));
  EXPECT_TRUE(FollowsFormula(
      Matrix({32}, 32, [](auto, auto c) { return Frequency(c, 1e4, 64); })));
  EXPECT_TRUE(FollowsFormula(Matrix(
      {8, 1, 1}, 1, [](auto r, auto) { return std::pow(2.0, -1.0 - r); })));
}

TEST(Tables, WeightsFollowNone) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const auto noise = [&](auto, auto) { return normal(random); };
  for (const Shape& shape :
       {Shape{64, 64}, {16, 3, 3, 3}, {64}, {4}, {2, 2}, {1}, {}}) {
    const int64_t columns = shape.empty() ? 1 : shape.back();
    EXPECT_FALSE(FollowsFormula(Matrix(shape, columns, noise)));
  }
}

TEST(Tables, UniformWeightsFollowNone) {
  for (double number : {0.0, 1.0, 0.3}) {
    const auto same = [&](auto, auto) { return number; };
    EXPECT_FALSE(FollowsFormula(Matrix({64}, 64, same)));
    EXPECT_FALSE(FollowsFormula(Matrix({64, 64}, 64, same)));
    EXPECT_FALSE(FollowsFormula(Matrix({64, 32}, 32, same)));
  }
  EXPECT_FALSE(FollowsFormula(MakeTensor("t", {0, 8}, {})));
}

}  // namespace
}  // namespace rebasin
