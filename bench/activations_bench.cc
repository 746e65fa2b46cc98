// Measures activation matching relative to running the two networks on the same
// data: the ratio of times in one process, alternating, best of five each.
//
// usage: activations_bench [--threads N]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/random.h"
#include "nn/batches.h"
#include "nn/classifier.h"
#include "nn/processor.h"
#include "nn/weights.h"
#include "rebasin/nn/match_activations.h"
#include "rebasin/nn/train.h"
#include "rebasin/zoo.h"

namespace rebasin {
namespace {

double Seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> past =
      std::chrono::steady_clock::now() - begin;
  return past.count();
}

Dataset Noise(const Shape& shape, int64_t examples) {
  Random random(1);
  int64_t size = examples;
  for (int64_t s : shape) size *= s;
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(random.Normal());
  return Dataset("noise", shape, std::move(values), std::vector<int32_t>(), 0);
}

// Runs parallel batches, like evaluation.
void RunBoth(const std::shared_ptr<const Graph>& graph, const Checkpoint& a,
             const Checkpoint& b, const Dataset& data, int threads) {
  const nn::Classifier classifier(graph, data, {});
  const auto prepared_a = classifier.Prepare(nn::Weights(graph, a));
  const auto prepared_b = classifier.Prepare(nn::Weights(graph, b));
  ThreadPool pool(threads);
  nn::ForBatches(
      pool, data, {.batch_size = classifier.CacheFittingBatch()}, {},
      [&](int64_t, const at::Tensor& examples, std::span<const int64_t>) {
        classifier.Logits(prepared_a, examples);
        classifier.Logits(prepared_b, examples);
      });
}

void Compare(const std::string& model, const Shape& example, int64_t examples,
             int threads) {
  const auto graph = std::make_shared<const Graph>(ZooGraph(model));
  const Checkpoint a = InitialWeights(*graph, Initialization::kKaiming, 1);
  const Checkpoint b = InitialWeights(*graph, Initialization::kKaiming, 2);
  const Dataset data = Noise(example, examples);
  double run = 1e9, match = 1e9;
  for (int i = 0; i < 5; ++i) {
    run = std::min(run, Seconds([&] { RunBoth(graph, a, b, data, threads); }));
    match = std::min(match, Seconds([&] {
                       MatchActivations(graph, a, b, data, {},
                                        {.threads = threads});
                     }));
  }
  std::printf(
      "%-10s %6lld examples  running %.3f s  matching %.3f s  "
      "ratio %.2f\n",
      model.c_str(), static_cast<long long>(examples), run, match, match / run);
}

}  // namespace
}  // namespace rebasin

int main(int argc, char** argv) {
  rebasin::nn::AvoidBrokenTiles();
  rebasin::nn::KeepFreedMemory();
  const int threads =
      argc == 3 && std::string(argv[1]) == "--threads" ? std::atoi(argv[2]) : 0;
  rebasin::Compare("mlp", {784}, 20000, threads);
  rebasin::Compare("resnet20", {3, 32, 32}, 3000, threads);
  return 0;
}
