// Times discovery as a function of the number of nodes.
//
//   build/bench/bench/discovery_bench
//   build/bench/bench/discovery_bench GRAPH.onnx     a file of your own

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <memory>
#include <string>

#include "onnx/onnx.h"
#include "rebasin/discovery.h"
#include "rebasin/zoo.h"

namespace rebasin {
namespace {

void Measure(benchmark::State& state, const Graph& graph) {
  for (auto _ : state) benchmark::DoNotOptimize(Discover(graph));
  const auto before = mallinfo2().uordblks;
  const Discovery kept = Discover(graph);
  state.counters["nodes"] = static_cast<double>(graph.nodes().size());
  state.counters["per_node"] = benchmark::Counter(
      static_cast<double>(state.iterations() * graph.nodes().size()),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["result_MB"] =
      static_cast<double>(mallinfo2().uordblks - before) / 1e6;
  state.counters["groups"] = static_cast<double>(kept.symmetry.groups().size());
}

void BM_Llama(benchmark::State& state) {
  Measure(state, ZooGraph("llama:depth=" + std::to_string(state.range(0))));
}
BENCHMARK(BM_Llama)->RangeMultiplier(2)->Range(8, 64)->Unit(
    benchmark::kMillisecond);

void BM_Zoo(benchmark::State& state, const char* text) {
  Measure(state, ZooGraph(text));
}
BENCHMARK_CAPTURE(BM_Zoo, vit, "vit")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Zoo, resnet50, "resnet50")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Zoo, densenet121, "densenet121")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rebasin

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const auto graph = std::make_shared<const rebasin::Graph>(
        rebasin::ReadOnnx(argv[i]).graph);
    benchmark::RegisterBenchmark(argv[i], [graph](benchmark::State& state) {
      rebasin::Measure(state, *graph);
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
