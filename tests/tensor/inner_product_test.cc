#include "tensor/inner_product.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "support/targets.h"

namespace rebasin {
namespace {

std::vector<float> RandomFloats(size_t size, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(random.Normal());
  return values;
}

// Runs in any order, over tensors that end exactly where the last run does.
struct RunsOfTensors {
  RunsOfTensors(size_t count, size_t run)
      : length(run),
        a(RandomFloats(count * run, 1)),
        b(RandomFloats(count * run, 2)) {
    Random random(3);
    const auto order = random.Permutation(static_cast<int64_t>(count));
    for (size_t r = 0; r < count; ++r) {
      a_at.push_back(static_cast<int64_t>(r * run));
      b_at.push_back(order[r] * static_cast<int64_t>(run));
    }
  }

  ProductRuns View() const { return {a.data(), b.data(), a_at, b_at, length}; }

  Moments Expected() const {
    Moments sum;
    for (size_t r = 0; r < a_at.size(); ++r) {
      for (size_t i = 0; i < length; ++i) {
        const double x = a[a_at[r] + i], y = b[b_at[r] + i];
        sum += {x * x, y * y, x * y};
      }
    }
    return sum;
  }

  size_t length;
  std::vector<float> a, b;
  std::vector<int64_t> a_at, b_at;
};

double Total(const ProductRuns& runs) {
  ProductSums sums{};
  AddProducts(runs, sums);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

TEST(InnerProduct, RunsOfAnyLengthAgreeWithTheDefinition) {
  ForEachTarget([] {
    for (size_t length = 1; length < 40; ++length) {
      const RunsOfTensors runs(13, length);
      const Moments expected = runs.Expected();
      const Moments found = MeasureRuns(runs.View());
      EXPECT_NEAR(Total(runs.View()), expected.ab, 1e-12 * expected.aa);
      EXPECT_NEAR(found.aa, expected.aa, 1e-12 * expected.aa);
      EXPECT_NEAR(found.bb, expected.bb, 1e-12 * expected.bb);
      EXPECT_NEAR(found.ab, expected.ab, 1e-12 * expected.aa);
    }
  });
}

TEST(InnerProduct, EveryInstructionSetGivesTheSameBits) {
  const RunsOfTensors runs(50, 9);
  const double total = Total(runs.View());
  const Moments of_runs = MeasureRuns(runs.View());
  const Moments all = Measure(runs.a, runs.b);
  ForEachTarget([&] {
    EXPECT_EQ(Total(runs.View()), total);
    EXPECT_EQ(MeasureRuns(runs.View()).aa, of_runs.aa);
    EXPECT_EQ(MeasureRuns(runs.View()).bb, of_runs.bb);
    EXPECT_EQ(MeasureRuns(runs.View()).ab, of_runs.ab);
    EXPECT_EQ(Measure(runs.a, runs.b).aa, all.aa);
    EXPECT_EQ(Measure(runs.a, runs.b).ab, all.ab);
  });
}

TEST(InnerProduct, MeasuresEveryLength) {
  for (size_t n = 0; n < 70; ++n) {
    const std::vector<float> ones(n, 1.0f), twos(n, 2.0f);
    const Moments sum = Measure(ones, twos);
    EXPECT_EQ(sum.aa, n);
    EXPECT_EQ(sum.bb, 4 * n);
    EXPECT_EQ(sum.ab, 2 * n);
  }
}

// Every pair of types gives what the converted floats give.
TEST(InnerProduct, ElementsOfAnyTypeAreThoseOfTheirFloats) {
  constexpr std::array kTypes = {DType::kF32, DType::kBF16, DType::kF16,
                                 DType::kF64};
  const RunsOfTensors runs(50, 21);
  const auto size = static_cast<int64_t>(runs.a.size());
  ForEachTarget([&] {
    for (const DType of_a : kTypes) {
      for (const DType of_b : kTypes) {
        const Tensor a = MakeTensor("a", {size}, runs.a, of_a);
        const Tensor b = MakeTensor("b", {size}, runs.b, of_b);
        RunsOfTensors floats = runs;
        ReadFloats(a, 0, floats.a);
        ReadFloats(b, 0, floats.b);
        for (const size_t length : {5, 21}) {
          ProductRuns own = runs.View(), expected = floats.View();
          own.a = ElementsInPlace(a);
          own.b = ElementsInPlace(b);
          own.length = expected.length = length;
          EXPECT_EQ(Total(own), Total(expected));
          EXPECT_EQ(MeasureRuns(own).aa, MeasureRuns(expected).aa);
          EXPECT_EQ(MeasureRuns(own).ab, MeasureRuns(expected).ab);
        }
        const Moments all =
            Measure(ElementsInPlace(a), ElementsInPlace(b), runs.a.size());
        EXPECT_EQ(all.ab, Measure(floats.a, floats.b).ab);
        EXPECT_EQ(all.bb, Measure(floats.a, floats.b).bb);
      }
    }
  });
}

}  // namespace
}  // namespace rebasin
