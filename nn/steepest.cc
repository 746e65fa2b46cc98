#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <chrono>

#include "nn/classifier.h"
#include "nn/gradient.h"
#include "nn/weights.h"
#include "rebasin/nn/match_baselines.h"

namespace rebasin {
namespace {

// Returns minus the gradient of the mean loss as a model.
Checkpoint DescentDirection(const std::shared_ptr<const Graph>& graph,
                            const Checkpoint& model, const Dataset& data,
                            const SteepestOptions& options, const Run& run) {
  const nn::Classifier classifier(graph, data, options.compute);
  nn::RequireLabels(data, classifier.classes());
  const nn::Weights weights(graph, model);
  nn::GradientMaker gradients(classifier, weights, run.threads);
  Loader loader(data, {.batch_size = classifier.BatchSizeOr(options.batch_size),
                       .normalization = options.normalization});
  const nn::Weights direction(graph);
  const auto all = static_cast<double>(data.size());
  int64_t seen = 0;
  loader.Start(0);
  Batch batch;
  while (loader.Next(&batch)) {
    // Uses A's running statistics.
    const nn::BatchGradient found =
        gradients.Run(batch, /*own_statistics=*/false);
    const c10::NoGradGuard no_gradients;
    for (size_t i = 0; i < found.gradients.size(); ++i) {
      if (!found.gradients[i].defined()) continue;
      direction.tensors()[i].sub_(found.gradients[i],
                                  static_cast<double>(batch.size) / all);
    }
    seen += batch.size;
    run.Report("gradient", seen, data.size());
  }
  return direction.ToCheckpoint(model);
}

}  // namespace

MatchResult MatchSteepest(const std::shared_ptr<const Graph>& graph,
                          const Checkpoint& a, const Checkpoint& b,
                          const std::shared_ptr<const Symmetry>& symmetry,
                          const Dataset& data, const SteepestOptions& options,
                          const Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  CheckSameStructure(a, b);
  const MatchResult found =
      MatchWeights(DescentDirection(graph, a, data, options, run), b, symmetry,
                   options.match, run);
  MatchReport report = DescribeAlignment(a, b, found.alignment, run);
  report.start = "steepest";
  report.passes = found.report.passes;
  report.converged = found.report.converged;
  report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return {found.alignment, std::move(report)};
}

}  // namespace rebasin
