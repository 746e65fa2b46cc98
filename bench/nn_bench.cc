// Times networks on LibTorch, on demand.
//
// usage: nn_bench THREADS
//
// Each line of the input is "MODEL MODE BATCH SECONDS": an architecture of the
// zoo, `forward` or `train` (forward, loss and backward), the size of a batch,
// and for how long to repeat. The answer to each is a line with the seconds of
// the fastest step. bench/nn_peer.py asks, in turn with its own.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "nn/network.h"
#include "nn/processor.h"
#include "rebasin/zoo.h"

namespace rebasin::nn {
namespace {

class Bench {
 public:
  Bench(const std::string& text, int64_t batch)
      : graph_(std::make_shared<const Graph>(ZooGraph(text))),
        network_(graph_) {
    MakeWeights();
    const Value& input = graph_->values()[graph_->inputs()[0]];
    Shape shape = input.shape;
    shape[0] = batch;
    input_ = at::randn(shape);
    labels_ = at::randint(0, 10, {batch}, at::kLong);
  }

  void Forward() const {
    const at::NoGradGuard no_gradients;
    network_.Run(weights_, {{input_}});
  }

  void Train() const {
    RunOptions options;
    options.batch_norm.batch_statistics = true;
    const at::Tensor output = network_.Run(weights_, {{input_}}, options)[0];
    const at::Tensor loss = at::cross_entropy_loss(output, labels_);
    torch::autograd::grad({loss}, trained_);
  }

 private:
  void MakeWeights() {
    std::set<ValueId> statistics;
    for (const Node& node : graph_->nodes()) {
      if (node.op != "BatchNormalization") continue;
      statistics.insert({node.inputs[3], node.inputs[4]});
    }
    for (ValueId id : graph_->weights()) {
      weights_.push_back(MakeWeight(graph_->values()[id].shape));
      if (statistics.contains(id)) continue;
      trained_.push_back(weights_.back().requires_grad_());
    }
  }

  // As PyTorch starts: activations keep their size. (Gradients that vanish
  // would be denormal numbers, which processors are slow at.)
  static at::Tensor MakeWeight(const Shape& shape) {
    const at::Tensor weight = at::rand(shape);
    if (shape.size() < 2) return weight + 0.5;
    const int64_t fan_in = weight[0].numel();
    return (weight * 2 - 1) / std::sqrt(static_cast<double>(fan_in));
  }

  std::shared_ptr<const Graph> graph_;
  Network network_;
  std::vector<at::Tensor> weights_, trained_;
  at::Tensor input_, labels_;
};

double Fastest(const Bench& bench, bool train, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  double fastest = std::numeric_limits<double>::infinity();
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    train ? bench.Train() : bench.Forward();
    fastest = std::min(fastest, since(start));
  } while (since(begin) < seconds);
  return fastest;
}

}  // namespace
}  // namespace rebasin::nn

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s THREADS\n", argv[0]);
    return 2;
  }
  rebasin::nn::KeepFreedMemory();
  at::set_num_threads(std::atoi(argv[1]));
  std::map<std::string, rebasin::nn::Bench> benches;
  std::string model, mode;
  int64_t batch;
  double seconds;
  while (std::cin >> model >> mode >> batch >> seconds) {
    const std::string key = model + " " + std::to_string(batch);
    const auto bench = benches.try_emplace(key, model, batch).first;
    std::printf("%.6f\n",
                rebasin::nn::Fastest(bench->second, mode == "train", seconds));
    std::fflush(stdout);
  }
}
