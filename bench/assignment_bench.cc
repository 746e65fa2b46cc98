// Times the assignment solver.
//
//   assignment_bench [Google Benchmark flags]     kernels and whole solves
//   assignment_bench --file COSTS --n N [--maximize] [--next COSTS]
//       solves the raw float32 matrix in COSTS (best of several repetitions)
//       and prints JSON; with --next also a similar problem, cold and warm.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "assignment/assignment.h"
#include "assignment/kernels.h"
#include "base/random.h"

namespace rebasin {
namespace {

std::vector<float> ReadCosts(const std::string& path, int64_t n) {
  std::vector<float> costs(static_cast<size_t>(n * n));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(costs.data()),
            static_cast<std::streamsize>(costs.size() * sizeof(float)));
  if (!file) throw std::runtime_error("cannot read " + path);
  return costs;
}

// CPU time of this process, so that other processes do not count.
double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * now.tv_nsec;
}

struct Timed {
  double seconds;
  Assignment result;
};

Timed BestOfSeveral(const CostMatrix& cost, const AssignmentOptions& options) {
  Timed best = {1e300, {}};
  double spent = 0;
  for (int repetition = 0; repetition < 20 && spent < 0.5; ++repetition) {
    const double start = CpuSeconds();
    best.result = SolveAssignment(cost, options);
    const double elapsed = CpuSeconds() - start;
    best.seconds = std::min(best.seconds, elapsed);
    spent += elapsed;
  }
  return best;
}

struct FileOptions {
  std::string file, next;
  int64_t n = 0;
  bool maximize = false;
};

FileOptions ParseFileOptions(int argc, char** argv) {
  FileOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--maximize") {
      options.maximize = true;
      continue;
    }
    if (i + 1 == argc) throw std::runtime_error("no value for " + name);
    const std::string value = argv[++i];
    if (name == "--file") options.file = value;
    if (name == "--next") options.next = value;
    if (name == "--n") options.n = std::stoll(value);
  }
  return options;
}

void TimeFile(const FileOptions& options) {
  const int64_t n = options.n;
  const auto costs = ReadCosts(options.file, n);
  const AssignmentOptions cold = {.maximize = options.maximize};
  const Timed first = BestOfSeveral({costs.data(), n, n}, cold);
  std::printf("{\"seconds\": %.9g, \"value\": %.17g, \"gap\": %.17g",
              first.seconds, first.result.value, first.result.gap);
  if (!options.next.empty()) {
    const auto later = ReadCosts(options.next, n);
    const CostMatrix next = {later.data(), n, n};
    const AssignmentOptions warm = {.maximize = options.maximize,
                                    .warm_start = &first.result.duals};
    std::printf(", \"next_cold\": %.9g, \"next_warm\": %.9g",
                BestOfSeveral(next, cold).seconds,
                BestOfSeveral(next, warm).seconds);
  }
  std::printf("}\n");
}

std::vector<float> NormalCosts(int64_t n) {
  Random random(1);
  std::vector<float> costs(static_cast<size_t>(n * n));
  for (float& cost : costs) cost = static_cast<float>(random.Normal());
  return costs;
}

void BenchmarkTwoMinima(benchmark::State& state) {
  const auto n = static_cast<size_t>(state.range(0));
  const auto costs = NormalCosts(state.range(0));
  const auto prices = assignment::PaddedVector<float>(n, 0);
  size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        assignment::TwoMinima(&costs[i * n], -1.0f, prices.data(), n));
    i = (i + 1) % n;
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * n * 4));
}
BENCHMARK(BenchmarkTwoMinima)->RangeMultiplier(2)->Range(64, 4096);

void BenchmarkListBelow(benchmark::State& state) {
  const auto n = static_cast<size_t>(state.range(0));
  const auto costs = NormalCosts(state.range(0));
  const auto prices = assignment::PaddedVector<float>(n, 0);
  std::vector<int32_t> columns(n + 32);
  std::vector<float> list(n + 32);
  // The 48th smallest cost of the first row: typical for what the solver asks
  // for.
  std::vector<float> sorted(costs.begin(), costs.begin() + state.range(0));
  std::sort(sorted.begin(), sorted.end());
  size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        assignment::ListBelow(&costs[i * n], 1.0f, prices.data(), n, sorted[47],
                              n, columns.data(), list.data()));
    i = (i + 1) % n;
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * n * 4));
}
BENCHMARK(BenchmarkListBelow)->RangeMultiplier(2)->Range(64, 4096);

void BenchmarkRelax(benchmark::State& state) {
  const auto n = static_cast<size_t>(state.range(0));
  const auto costs = NormalCosts(state.range(0));
  const auto prices = assignment::PaddedVector<double>(n, 0);
  auto distance = prices, from = prices;
  for (auto _ : state) {
    benchmark::DoNotOptimize(assignment::Relax(costs.data(), {-1, 0, 9, 1},
                                               prices.data(), distance.data(),
                                               from.data(), n));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * n * 4));
}
BENCHMARK(BenchmarkRelax)->RangeMultiplier(2)->Range(64, 4096);

void BenchmarkSolve(benchmark::State& state) {
  const auto costs = NormalCosts(state.range(0));
  const CostMatrix cost = {costs.data(), state.range(0), state.range(0)};
  for (auto _ : state) benchmark::DoNotOptimize(SolveAssignment(cost));
}
BENCHMARK(BenchmarkSolve)->RangeMultiplier(2)->Range(16, 2048);

}  // namespace
}  // namespace rebasin

int main(int argc, char** argv) try {
  const bool file_mode = argc > 1 && std::strcmp(argv[1], "--file") == 0;
  if (file_mode) {
    rebasin::TimeFile(rebasin::ParseFileOptions(argc, argv));
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
