// Times straight-through matching: the share of the projection in a step.
//
// usage: ste_bench MODEL BATCH STEPS THREADS [SHARE]
//
// MODEL is a built-in architecture. Two random networks are matched on random
// examples, with a projection budget of SHARE (0.15) of a step's arithmetic.
// Prints the mean milliseconds of a step's parts, the share of the projection,
// and the number of visits of each group.

#include <ATen/ATen.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/random.h"
#include "match/descent/projector.h"
#include "nn/blend.h"
#include "nn/flops.h"
#include "nn/gradient.h"
#include "nn/latent_weights.h"
#include "nn/optimizer.h"
#include "nn/processor.h"
#include "nn/threads.h"
#include "rebasin/discovery.h"
#include "rebasin/match.h"
#include "rebasin/zoo.h"

namespace rebasin::nn {
namespace {

using Clock = std::chrono::steady_clock;

Dataset OneExample(const Graph& graph) {
  const Shape& input = graph.values()[graph.inputs()[0]].shape;
  const Shape shape(input.begin() + 1, input.end());
  return Dataset("noise", shape,
                 std::vector<float>(c10::multiply_integers(shape)), {0}, 10);
}

struct Times {
  double project = 0, blend = 0, gradient = 0, step = 0;

  double all() const { return project + blend + gradient + step; }
};

class Bench {
 public:
  Bench(const std::string& text, int64_t batch, int threads, double share)
      : graph_(std::make_shared<const Graph>(ZooGraph(text))),
        threads_(threads),
        a_(InitialWeights(*graph_, Initialization::kLecun, 1)),
        b_(InitialWeights(*graph_, Initialization::kLecun, 2)),
        start_(MatchWeights(
                   a_, b_,
                   std::make_shared<const Symmetry>(Discover(*graph_).symmetry))
                   .alignment),
        classifier_(graph_, OneExample(*graph_), ComputeOptions()),
        pool_(threads),
        blend_(graph_, a_, b_, start_, pool_),
        latent_(blend_, {}),
        projector_(WithViews(a_, *graph_, latent_.target()), b_, start_, pool_),
        gradients_(classifier_, blend_.weights(), threads),
        optimizer_({}, latent_.weights()),
        budget_(share * TrainingFlops(*graph_, classifier_.InputShape(batch))),
        examples_(at::randn(
            {batch, c10::multiply_integers(classifier_.InputShape(1))})),
        labels_(at::randint(0, 10, {batch}, at::kLong)) {}

  void Run(int64_t steps) {
    for (int64_t i = 0; i < steps / 10 + 1; ++i) Step();  // to warm up
    times_ = {};
    visits_ = 0;
    for (int64_t i = 0; i < steps; ++i) Step();
    const double scale = 1e3 / static_cast<double>(steps);
    std::printf("project %.3f ms, blend %.3f, gradient %.3f, optimise %.3f\n",
                times_.project * scale, times_.blend * scale,
                times_.gradient * scale, times_.step * scale);
    std::printf("projection with blend: %.1f %% of a step\n",
                100 * (times_.project + times_.blend) / times_.all());
    std::printf("visits a step: %.2f of %d groups\n",
                static_cast<double>(visits_) / static_cast<double>(steps),
                static_cast<int>(projector_.trees()));
  }

 private:
  template <typename Work>
  static void Add(double& seconds, const Work& work) {
    const auto start = Clock::now();
    work();
    seconds += std::chrono::duration<double>(Clock::now() - start).count();
  }

  void Step() {
    const int64_t before = projector_.visits();
    Add(times_.project, [&] { projector_.Follow(budget_); });
    visits_ += projector_.visits() - before;
    Add(times_.blend, [&] { blend_.Set(projector_.alignment(), 0.5); });
    BatchGradient found;
    Add(times_.gradient, [&] { found = gradients_.Run(examples_, labels_); });
    Add(times_.step, [&] {
      const OperatorThreads threads(threads_);
      optimizer_.Step(latent_.weights(), found.gradients, 1e-3);
    });
  }

  std::shared_ptr<const Graph> graph_;
  int threads_;
  Checkpoint a_, b_;
  Alignment start_;
  Classifier classifier_;
  ThreadPool pool_;
  Blend blend_;
  LatentWeights latent_;
  Projector projector_;
  GradientMaker gradients_;
  Optimizer optimizer_;
  double budget_;
  at::Tensor examples_, labels_;
  Times times_;
  int64_t visits_ = 0;
};

}  // namespace
}  // namespace rebasin::nn

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    std::fprintf(stderr, "usage: %s MODEL BATCH STEPS THREADS [SHARE]\n",
                 argv[0]);
    return 2;
  }
  rebasin::nn::AvoidBrokenTiles();
  rebasin::nn::KeepFreedMemory();
  const double share = argc == 6 ? std::atof(argv[5]) : 0.15;
  rebasin::nn::Bench(argv[1], std::atoi(argv[2]), std::atoi(argv[4]), share)
      .Run(std::atoi(argv[3]));
}
