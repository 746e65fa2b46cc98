#include "tensor/gemm.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "tensor/bfloat16_range.h"
#include "tensor/convert.h"
#include "tensor/gemm_rounded.h"

namespace rebasin {
namespace {

std::vector<float> RandomMatrix(int64_t size, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(random.Normal());
  return values;
}

// c += a b^T in double; `a_transposed` means a is stored [k][m].
std::vector<float> Reference(const GemmShape& shape,
                             const std::vector<float>& a, bool a_transposed,
                             const std::vector<float>& b, bool b_transposed,
                             std::vector<float> c) {
  for (int64_t i = 0; i < shape.m; ++i) {
    for (int64_t j = 0; j < shape.n; ++j) {
      double sum = c[i * shape.n + j];
      for (int64_t k = 0; k < shape.k; ++k) {
        const float x = a_transposed ? a[k * shape.m + i] : a[i * shape.k + k];
        const float y = b_transposed ? b[k * shape.n + j] : b[j * shape.k + k];
        sum += static_cast<double>(x) * y;
      }
      c[i * shape.n + j] = static_cast<float>(sum);
    }
  }
  return c;
}

struct Case {
  int64_t m, n, k;
};

class GemmShapes : public ::testing::TestWithParam<Case> {};

TEST_P(GemmShapes, AgreesWithTheDefinitionInEveryLayout) {
  const auto [m, n, k] = GetParam();
  const auto a = RandomMatrix(m * k, 1), b = RandomMatrix(n * k, 2);
  const auto c = RandomMatrix(m * n, 3);
  ThreadPool pool(2);
  for (bool at : {false, true}) {
    for (bool bt : {false, true}) {
      std::vector<float> found = c;
      GemmAdd(pool, {.m = m, .n = n, .k = k},
              PackFrom({a.data(), at ? m : k, at}),
              PackFrom({b.data(), bt ? n : k, bt}), found.data(), n);
      const auto expected =
          Reference({.m = m, .n = n, .k = k}, a, at, b, bt, c);
      for (size_t i = 0; i < found.size(); ++i) {
        ASSERT_NEAR(found[i], expected[i], 2e-6 * static_cast<double>(k + 10))
            << i;
      }
    }
  }
}

// Around the tile (12 x 32, 6 x 16, 6 x 8), the strips and the depth of blocks.
INSTANTIATE_TEST_SUITE_P(Shapes, GemmShapes,
                         ::testing::Values(Case{1, 1, 1}, Case{1, 33, 7},
                                           Case{12, 32, 5}, Case{13, 31, 600},
                                           Case{11, 65, 513}, Case{241, 40, 9},
                                           Case{100, 4100, 3},
                                           Case{250, 130, 70}, Case{0, 5, 5},
                                           Case{5, 5, 0}),
                         [](const auto& row) {
                           return std::to_string(row.param.m) + "x" +
                                  std::to_string(row.param.n) + "x" +
                                  std::to_string(row.param.k);
                         });

// Where the processor has no use for it, nothing is rounded.
std::vector<float> RoundedIfFaster(std::vector<float> values) {
  if (!MultipliesRounded()) return values;
  for (float& value : values) {
    value = BF16ToFloat(FloatToBF16(value));
  }
  return values;
}

TEST_P(GemmShapes, RoundsOperandsAndNothingElse) {
  const auto [m, n, k] = GetParam();
  const auto a = RandomMatrix(m * k, 1), b = RandomMatrix(n * k, 2);
  const auto c = RandomMatrix(m * n, 3);
  ThreadPool pool(2);
  std::vector<float> found = c;
  GemmAdd(pool, {.m = m, .n = n, .k = k}, PackFrom({a.data(), k, false}),
          PackFrom({b.data(), n, true}), found.data(), n,
          GemmOperands::kRoundedIfFaster);
  const auto expected = Reference({.m = m, .n = n, .k = k}, RoundedIfFaster(a),
                                  false, RoundedIfFaster(b), true, c);
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 2e-6 * static_cast<double>(k + 10)) << i;
  }
}

std::vector<float> BFloat16Matrix(int64_t size, uint64_t seed) {
  std::vector<float> values = RandomMatrix(size, seed);
  for (float& value : values) value = BF16ToFloat(FloatToBF16(value));
  return values;
}

TEST_P(GemmShapes, BFloat16GivesTheBitsOfFloat32) {
  // Lambdas cannot capture structured bindings.
  const int64_t m = GetParam().m, n = GetParam().n, k = GetParam().k;
  const auto a = BFloat16Matrix(m * k, 1), b = BFloat16Matrix(n * k, 2);
  ThreadPool pool(2);
  const auto product = [&](GemmOperands operands) {
    std::vector<float> c = RandomMatrix(m * n, 3);
    GemmAdd(pool, {.m = m, .n = n, .k = k}, PackFrom({a.data(), k, false}),
            PackFrom({b.data(), k, false}), c.data(), n, operands);
    return c;
  };
  EXPECT_EQ(product(GemmOperands::kBFloat16), product(GemmOperands::kExact));
}

TEST(BFloat16Range, FindsTheSmallestExponent) {
  const auto exponent = [](std::vector<float> values) {
    std::vector<BF16> stored;
    for (const float value : values) stored.push_back({FloatToBF16(value)});
    return SmallestExponent(stored.data(), stored.size());
  };
  EXPECT_EQ(exponent({}), 255);
  EXPECT_EQ(exponent({0.0f, -0.0f}), 255);
  EXPECT_EQ(exponent({1.5f, -4.0f, 0.0f}), 127);
  EXPECT_EQ(exponent({1.5f, -0.25f, 3.0f}), 125);
  EXPECT_EQ(exponent({1.0f, 0x1p-126f}), 1);
  EXPECT_EQ(exponent({1.0f, 0x1p-130f}), 0);
  EXPECT_TRUE(BFloat16ProductsAreNormal(127, 127));
  EXPECT_TRUE(BFloat16ProductsAreNormal(127 - 56, 127 - 56));
  EXPECT_FALSE(BFloat16ProductsAreNormal(127 - 56, 127 - 57));
  EXPECT_FALSE(BFloat16ProductsAreNormal(0, 255));
}

TEST(Gemm, SameBitsForAnyNumberOfThreads) {
  const int64_t m = 500, n = 300, k = 700;
  const auto a = RandomMatrix(m * k, 1), b = RandomMatrix(n * k, 2);
  for (const GemmOperands operands :
       {GemmOperands::kExact, GemmOperands::kRoundedIfFaster}) {
    const auto run = [&](int threads) {
      std::vector<float> c(m * n, 0.0f);
      ThreadPool pool(threads);
      GemmAdd(pool, {.m = m, .n = n, .k = k}, PackFrom({a.data(), k, false}),
              PackFrom({b.data(), k, false}), c.data(), n, operands);
      return c;
    };
    const auto one = run(1);
    EXPECT_EQ(one, run(2));
    EXPECT_EQ(one, run(5));
  }
}

}  // namespace
}  // namespace rebasin
