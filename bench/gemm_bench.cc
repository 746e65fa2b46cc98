// The machine's SGEMM peak as the library reaches it: what the share of the
// peak in other benchmarks refers to.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "tensor/gemm.h"

namespace rebasin {
namespace {

std::vector<float> RandomMatrix(int64_t rows, int64_t columns, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<size_t>(rows * columns));
  for (float& value : values) {
    value = static_cast<float>(random.Uniform()) - 0.5f;
  }
  return values;
}

// c (n x n) = a (n x k) b (n x k)^T: the shape of every cost term.
void Multiply(benchmark::State& state, int64_t n, int64_t k, int threads) {
  ThreadPool pool(threads);
  const auto a = RandomMatrix(n, k, 1);
  const auto b = RandomMatrix(n, k, 2);
  std::vector<float> c(static_cast<size_t>(n * n));
  const GemmShape shape{.m = n, .n = n, .k = k};
  for (auto _ : state) {
    ParallelGemm(pool, shape, {.data = a.data(), .stride = k},
                 {.data = b.data(), .stride = k, .transposed = true}, c.data(),
                 n);
    benchmark::DoNotOptimize(c.data());
  }
  const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) *
                       static_cast<double>(k);
  state.counters["FLOPS"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["threads_used"] = threads;
}

void Square(benchmark::State& state) {
  Multiply(state, state.range(0), state.range(0),
           static_cast<int>(state.range(1)));
}

// Few units, long rows, as in the first layers of wide networks.
void Thin(benchmark::State& state) {
  Multiply(state, state.range(0), 9 * state.range(0),
           static_cast<int>(state.range(1)));
}

BENCHMARK(Square)
    ->ArgsProduct({{256, 512, 1024, 2048, 4096}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Thin)
    ->ArgsProduct({{16, 64, 256, 1024}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rebasin

BENCHMARK_MAIN();
