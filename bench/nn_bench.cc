// Times networks on LibTorch, on request, as the program runs them.
//
// usage: nn_bench THREADS
//
// Each line of the input is "MODEL MODE BATCH SECONDS": a built-in
// architecture; `evaluate` (parallel batches, with reading and scoring) or
// `train` (forward, loss, backward and a step of SGD with momentum); the batch
// size; and the duration of repetitions. The answer to each is a line with the
// fastest time for one batch in seconds. bench/nn_peer.py sends the lines,
// alternating with its own measurements.

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "nn/evaluator.h"
#include "nn/gradient.h"
#include "nn/optimizer.h"
#include "nn/processor.h"
#include "nn/threads.h"
#include "rebasin/nn/train.h"
#include "rebasin/zoo.h"

namespace rebasin::nn {
namespace {

// Batches of an evaluation: enough for all threads.
constexpr int64_t kBatches = 8;

Dataset RandomData(const Graph& graph, int64_t examples) {
  const Shape& input = graph.values()[graph.inputs()[0]].shape;
  const Shape shape(input.begin() + 1, input.end());
  Random random(1);
  std::vector<float> values(examples * c10::multiply_integers(shape));
  for (float& value : values) value = static_cast<float>(random.Normal());
  std::vector<int32_t> labels(examples);
  for (int32_t& label : labels) label = static_cast<int32_t>(random.Below(10));
  return Dataset("noise", shape, std::move(values), std::move(labels), 10);
}

class Bench {
 public:
  Bench(const std::string& text, int64_t batch, int threads)
      : graph_(std::make_shared<const Graph>(ZooGraph(text))),
        threads_(threads),
        data_(RandomData(*graph_, kBatches * batch)),
        weights_(graph_, InitialWeights(*graph_, Initialization::kKaiming, 1)),
        evaluator_(graph_, data_, {}, {.threads = threads}),
        classifier_(graph_, data_, {}),
        gradients_(classifier_, weights_, threads),
        optimizer_({.optimizer = OptimizerKind::kSgd}, weights_),
        examples_(at::randn({batch, data_.example_size()})),
        labels_(at::randint(0, 10, {batch}, at::kLong)) {}

  // Returns the seconds for a batch.
  double Evaluate() {
    return Seconds([&] { evaluator_.Run(weights_); }) / kBatches;
  }

  double Train() {
    return Seconds([&] {
      const BatchGradient found = gradients_.Run(examples_, labels_);
      const OperatorThreads threads(threads_);
      // So small that weights, and therefore times, hardly change.
      optimizer_.Step(weights_, found.gradients, 1e-9);
    });
  }

 private:
  template <typename Work>
  static double Seconds(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }

  std::shared_ptr<const Graph> graph_;
  int threads_;
  Dataset data_;
  Weights weights_;
  Evaluator evaluator_;
  Classifier classifier_;
  GradientMaker gradients_;
  Optimizer optimizer_;
  at::Tensor examples_, labels_;
};

double Fastest(Bench& bench, bool train, double seconds) {
  double fastest = std::numeric_limits<double>::infinity();
  const auto begin = std::chrono::steady_clock::now();
  do {
    fastest = std::min(fastest, train ? bench.Train() : bench.Evaluate());
  } while (std::chrono::steady_clock::now() - begin <
           std::chrono::duration<double>(seconds));
  return fastest;
}

}  // namespace
}  // namespace rebasin::nn

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s THREADS\n", argv[0]);
    return 2;
  }
  rebasin::nn::AvoidBrokenTiles();
  rebasin::nn::KeepFreedMemory();
  const int threads = std::atoi(argv[1]);
  std::map<std::string, std::unique_ptr<rebasin::nn::Bench>> benches;
  std::string model, mode;
  int64_t batch;
  double seconds;
  while (std::cin >> model >> mode >> batch >> seconds) {
    auto& bench = benches[model + " " + std::to_string(batch)];
    if (!bench) {
      bench = std::make_unique<rebasin::nn::Bench>(model, batch, threads);
    }
    std::printf("%.6f\n",
                rebasin::nn::Fastest(*bench, mode == "train", seconds));
    std::fflush(stdout);
  }
}
