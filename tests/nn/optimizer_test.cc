#include "nn/optimizer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "nn/small_networks.h"
#include "nn/threads.h"

namespace rebasin::nn {
namespace {

constexpr int kSteps = 50;

// The gradients of step `step`: undefined for statistics.
std::vector<at::Tensor> Gradients(const Weights& weights, int step) {
  at::manual_seed(100 + step);
  std::vector<at::Tensor> gradients;
  for (size_t i = 0; i < weights.tensors().size(); ++i) {
    const at::Tensor random = at::randn(weights.tensors()[i].sizes());
    gradients.push_back(weights.statistics()[i] ? at::Tensor() : random);
  }
  return gradients;
}

double RateOf(int step) { return 0.01 * (1 + step % 3); }

Weights Start(const testing::GraphPtr& graph) {
  return Weights(graph, testing::RandomNetwork(*graph, 1));
}

Weights Optimized(const Recipe& recipe, const testing::GraphPtr& graph,
                  int threads) {
  const OperatorThreads operator_threads(threads);
  const Weights weights = Start(graph);
  Optimizer optimizer(recipe, weights);
  for (int step = 0; step < kSteps; ++step) {
    optimizer.Step(weights, Gradients(weights, step), RateOf(step));
  }
  EXPECT_EQ(optimizer.steps(), kSteps);
  return weights;
}

// The rules as the papers have them, one number at a time.
class Reference {
 public:
  Reference(const Recipe& recipe, double weight)
      : recipe_(recipe), weight_(weight) {}

  void Step(double gradient, double rate) {
    ++steps_;
    const double g = gradient + recipe_.weight_decay * weight_;
    if (recipe_.optimizer == OptimizerKind::kSgd) {
      first_ = recipe_.momentum * first_ + g;
      weight_ -= rate * first_;
      return;
    }
    first_ = 0.9 * first_ + 0.1 * g;
    second_ = 0.999 * second_ + 0.001 * g * g;
    const double mean = first_ / (1 - std::pow(0.9, steps_));
    const double square = second_ / (1 - std::pow(0.999, steps_));
    weight_ -= rate * mean / (std::sqrt(square) + 1e-8);
  }

  double weight() const { return weight_; }

 private:
  Recipe recipe_;
  double weight_, first_ = 0, second_ = 0;
  int steps_ = 0;
};

void ExpectAsTheReference(const Recipe& recipe) {
  const auto graph = testing::SmallConvNet();
  const Weights start = Start(graph);
  const Weights found = Optimized(recipe, graph, 1);
  for (size_t i = 0; i < start.tensors().size(); ++i) {
    const at::Tensor from = start.tensors()[i].flatten();
    const at::Tensor to = found.tensors()[i].flatten();
    if (start.statistics()[i]) {
      EXPECT_TRUE(at::equal(from, to));
      continue;
    }
    for (int64_t k = 0; k < std::min<int64_t>(from.numel(), 3); ++k) {
      Reference reference(recipe, from[k].item<double>());
      for (int step = 0; step < kSteps; ++step) {
        const auto gradient = Gradients(start, step)[i].flatten()[k];
        reference.Step(gradient.item<double>(), RateOf(step));
      }
      EXPECT_NEAR(to[k].item<double>(), reference.weight(),
                  1e-5 * (1 + std::abs(reference.weight())));
    }
  }
}

const Recipe kSgd{.optimizer = OptimizerKind::kSgd, .momentum = 0.9};
const Recipe kSgdWithDecay{
    .optimizer = OptimizerKind::kSgd, .momentum = 0.5, .weight_decay = 0.01};
const Recipe kAdam{.optimizer = OptimizerKind::kAdam};
const Recipe kAdamWithDecay{.optimizer = OptimizerKind::kAdam,
                            .weight_decay = 0.01};

TEST(Optimizer, DescendsAsSgdWithMomentum) {
  ExpectAsTheReference(kSgd);
  ExpectAsTheReference(kSgdWithDecay);
}

TEST(Optimizer, DescendsAsAdam) {
  ExpectAsTheReference(kAdam);
  ExpectAsTheReference(kAdamWithDecay);
}

// Large enough for several threads to have a share.
TEST(Optimizer, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto graph = testing::SmallMlp(300, 301, 10);
  for (const Recipe& recipe : {kSgdWithDecay, kAdamWithDecay}) {
    EXPECT_TRUE(at::equal(Optimized(recipe, graph, 1).flat(),
                          Optimized(recipe, graph, 2).flat()));
  }
}

TEST(Optimizer, LeavesWeightsWithoutGradientsAlone) {
  const auto graph = testing::SmallMlp();
  const Weights weights = Start(graph);
  const Weights before = weights.Clone();
  Optimizer optimizer(kAdamWithDecay, weights);
  std::vector<at::Tensor> gradients = Gradients(weights, 0);
  gradients[2] = at::Tensor();
  optimizer.Step(weights, gradients, 0.1);
  EXPECT_TRUE(at::equal(weights.tensors()[2], before.tensors()[2]));
  EXPECT_FALSE(at::equal(weights.tensors()[0], before.tensors()[0]));
}

TEST(Optimizer, GoesOnFromWhatItRemembers) {
  const auto graph = testing::SmallMlp();
  for (const Recipe& recipe : {kSgd, kAdam}) {
    const Weights weights = Start(graph);
    Optimizer first(recipe, weights);
    for (int step = 0; step < 20; ++step) {
      first.Step(weights, Gradients(weights, step), RateOf(step));
    }
    Optimizer second(recipe, weights);
    second.Restore(
        first.first().clone(),
        first.second().defined() ? first.second().clone() : at::Tensor(),
        first.steps());
    for (int step = 20; step < kSteps; ++step) {
      second.Step(weights, Gradients(weights, step), RateOf(step));
    }
    EXPECT_TRUE(at::equal(weights.flat(), Optimized(recipe, graph, 1).flat()));
  }
}

}  // namespace
}  // namespace rebasin::nn
