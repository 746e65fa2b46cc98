// Compares the matrix product with oneDNN's. The best result of oneDNN is taken
// as the machine's SGEMM peak, to which other benchmarks refer.

#include <benchmark/benchmark.h>
#include <dnnl.h>
#include <omp.h>

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

// c (n x n) += a (n x k) b (n x k)^T: the shape of every cost term.
struct Matrices {
  Matrices(int64_t units, int64_t depth)
      : n(units),
        k(depth),
        a(RandomMatrix(n, k, 1)),
        b(RandomMatrix(n, k, 2)),
        c(static_cast<size_t>(n * n)) {}

  int64_t n, k;
  std::vector<float> a, b, c;
};

void MultiplyOurs(Matrices& x, ThreadPool& pool) {
  GemmAdd(pool, {.m = x.n, .n = x.n, .k = x.k},
          PackFrom({x.a.data(), x.k, false}),
          PackFrom({x.b.data(), x.k, false}), x.c.data(), x.n);
}

void MultiplyOneDnn(Matrices& x, ThreadPool& pool) {
  omp_set_num_threads(pool.threads());
  dnnl_sgemm('N', 'T', x.n, x.n, x.k, 1, x.a.data(), x.k, x.b.data(), x.k, 1,
             x.c.data(), x.n);
}

// Arguments: units, depth as a multiple of them, threads.
template <void (*kMultiply)(Matrices&, ThreadPool&)>
void Run(benchmark::State& state) {
  const int64_t n = state.range(0), k = state.range(1) * n;
  ThreadPool pool(static_cast<int>(state.range(2)));
  Matrices matrices(n, k);
  for (auto _ : state) {
    kMultiply(matrices, pool);
    benchmark::DoNotOptimize(matrices.c.data());
  }
  const double flops =
      2.0 * static_cast<double>(n * n) * static_cast<double>(k);
  state.counters["FLOPS"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["threads_used"] = static_cast<double>(state.range(2));
}

void Sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{16, 64, 256, 512, 1024, 2048}, {1, 9}, {1, 2}})
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

BENCHMARK(Run<MultiplyOurs>)->Name("Ours")->Apply(Sizes);
BENCHMARK(Run<MultiplyOneDnn>)->Name("OneDnn")->Apply(Sizes);

}  // namespace
}  // namespace rebasin

BENCHMARK_MAIN();
