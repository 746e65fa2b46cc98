// Measures how fast this machine does what matching consists of.

#include <chrono>
#include <vector>

#include "assignment/assignment.h"
#include "base/parallel.h"
#include "base/random.h"
#include "rebasin/match.h"
#include "tensor/convert.h"
#include "tensor/gemm.h"
#include "tensor/inner_product.h"

namespace rebasin {
namespace {

// The shortest time of a few calls; the first one warms up.
template <typename Call>
double Seconds(const Call& call) {
  constexpr int kCalls = 4;
  double best = 0;
  for (int i = 0; i < kCalls; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    if (i == 1 || seconds < best) best = seconds;
  }
  return best;
}

// Values that bfloat16 has.
std::vector<float> RandomValues(int64_t size) {
  Random random(1);
  std::vector<float> values(static_cast<size_t>(size));
  for (float& value : values) {
    value = BF16ToFloat(FloatToBF16(static_cast<float>(random.Uniform())));
  }
  return values;
}

double Flops(ThreadPool& pool, const std::vector<float>& values, int64_t n,
             int64_t k, GemmOperands operands) {
  std::vector<float> costs(static_cast<size_t>(n * n));
  const GemmPacker pack = PackFrom({values.data(), k, false});
  const double seconds = Seconds([&] {
    GemmAdd(pool, {.m = n, .n = n, .k = k}, pack, pack, costs.data(), n,
            operands);
  });
  return 2.0 * static_cast<double>(n * n * k) / seconds;
}

double BytesMeasured(ThreadPool& pool, const std::vector<float>& values) {
  constexpr int64_t kParts = 16;
  const int64_t part = static_cast<int64_t>(values.size()) / kParts;
  std::vector<Moments> found(kParts);
  const double seconds = Seconds([&] {
    pool.For(kParts, [&](int64_t p) {
      const float* from = values.data() + p * part;
      found[static_cast<size_t>(p)] =
          Measure(from, from, static_cast<size_t>(part));
    });
  });
  return 2.0 * static_cast<double>(part * kParts) * sizeof(float) / seconds;
}

// Costs whose best choice is clear, as those of related models are.
double EntriesSolved(int64_t n) {
  Random random(2);
  std::vector<float> costs(static_cast<size_t>(n * n));
  for (float& cost : costs) cost = static_cast<float>(random.Uniform());
  for (int64_t i = 0; i < n; ++i) costs[static_cast<size_t>(i * n + i)] += 2;
  const double seconds = Seconds([&] {
    SolveAssignment({.data = costs.data(), .n = n, .stride = n},
                    {.maximize = true, .warm_start = nullptr});
  });
  return static_cast<double>(n * n) / seconds;
}

}  // namespace

MatchSpeed MeasureMatchSpeed(const Run& run) {
  constexpr int64_t kUnits = 1536, kSteps = 1024;
  ThreadPool pool(run);
  const std::vector<float> values = RandomValues(kUnits * kSteps);
  return {.flops = Flops(pool, values, kUnits, kSteps, GemmOperands::kExact),
          .bfloat16_flops =
              Flops(pool, values, kUnits, kSteps, GemmOperands::kBFloat16),
          .bytes = BytesMeasured(pool, values),
          .solved = EntriesSolved(kUnits)};
}

}  // namespace rebasin
