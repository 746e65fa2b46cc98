// Times opening a checkpoint of 10,000 tensors: reads and checks the header,
// not the data.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"

namespace rebasin {
namespace {

constexpr int64_t kTensors = 10'000;

// Names as long as in large language models.
std::vector<TensorPlan> Plan() {
  std::vector<TensorPlan> plan;
  for (int64_t i = 0; i < kTensors; ++i) {
    plan.push_back(
        {"model.layers." + std::to_string(i) + ".self_attn.q_proj.weight",
         DType::kF32,
         {4, 4}});
  }
  return plan;
}

// A file that is removed at the end.
class ModelFile {
 public:
  ModelFile()
      : path_(std::filesystem::temp_directory_path() /
              "formats_bench.safetensors") {
    CheckpointWriter writer(path_, Plan(), {}, {.force = true});
    const std::vector<std::byte> data(kTensors * 4 * 4 * sizeof(float));
    writer.Append(data);
    writer.Commit();
  }
  ~ModelFile() { std::filesystem::remove(path_); }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void Open10000Tensors(benchmark::State& state) {
  const ModelFile file;
  for (auto _ : state) {
    const Checkpoint model = Checkpoint::Open(file.path());
    benchmark::DoNotOptimize(model.tensors().data());
  }
}
BENCHMARK(Open10000Tensors)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rebasin

BENCHMARK_MAIN();
