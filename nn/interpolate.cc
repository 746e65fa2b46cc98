#include "rebasin/nn/interpolate.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "nn/evaluator.h"
#include "nn/weights.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

// Evaluates points on the non-empty parts of the data.
class Judge {
 public:
  Judge(const std::shared_ptr<const Graph>& graph, const DataSplits& data,
        const EvaluateOptions& options, const Run& run)
      : graph_(graph) {
    if (!data.train.empty()) train_.emplace(graph, data.train, options, run);
    if (!data.test.empty()) test_.emplace(graph, data.test, options, run);
    if (!train_ && !test_) {
      throw Error(ErrorCode::kMismatch, "the data set is empty");
    }
  }

  LinePoint At(double lambda, const Checkpoint& model) {
    const nn::Weights weights(graph_, model);
    LinePoint point{.lambda = lambda};
    if (train_) point.train = train_->Run(weights);
    if (test_) point.test = test_->Run(weights);
    return point;
  }

 private:
  std::shared_ptr<const Graph> graph_;
  std::optional<nn::Evaluator> train_;
  std::optional<nn::Evaluator> test_;
};

Checkpoint Between(const MergeInput& a, const MergeInput& b, double lambda,
                   const InterpolateOptions& options, const Run& run) {
  // Without warnings, which would repeat for each point.
  return Merge({{a, b}},
               {.method = options.method, .weights = {1 - lambda, lambda}},
               {.threads = run.threads});
}

}  // namespace

Barrier BarrierOf(const std::vector<LinePoint>& points,
                  Evaluation LinePoint::*part) {
  Barrier barrier;
  if (points.empty() || (points.front().*part).examples == 0) return barrier;
  const double ends =
      ((points.front().*part).loss + (points.back().*part).loss) / 2;
  const LinePoint* middle = &points.front();
  const LinePoint* worst = &points.front();
  for (const LinePoint& point : points) {
    if (std::abs(point.lambda - 0.5) < std::abs(middle->lambda - 0.5)) {
      middle = &point;
    }
    // A loss that is not a number is worse than any other.
    if (std::isnan((worst->*part).loss)) continue;
    if (!((point.*part).loss <= (worst->*part).loss)) worst = &point;
  }
  return {.loss = (worst->*part).loss - ends,
          .at = worst->lambda,
          .midpoint_loss = (middle->*part).loss,
          .midpoint_accuracy = (middle->*part).accuracy};
}

Line Interpolate(const std::shared_ptr<const Graph>& graph, const MergeInput& a,
                 const MergeInput& b, const DataSplits& data,
                 const InterpolateOptions& options, const Run& run) {
  if (options.points < 2) {
    throw Error(ErrorCode::kUsage, "a line needs at least two points, not " +
                                       std::to_string(options.points));
  }
  Judge judge(graph, data, options.evaluate, run.WithoutProgress());
  Line line;
  const int last = options.points - 1;
  for (int i = 0; i <= last; ++i) {
    run.Report("points", i, options.points);
    const double lambda = static_cast<double>(i) / last;
    Checkpoint point = Between(a, b, lambda, options, run);
    const bool end = i == 0 || i == last;
    if (options.repair && !end) point = options.repair(point, lambda);
    line.points.push_back(judge.At(lambda, point));
  }
  run.Report("points", options.points, options.points);
  line.train = BarrierOf(line.points, &LinePoint::train);
  line.test = BarrierOf(line.points, &LinePoint::test);
  return line;
}

}  // namespace rebasin
