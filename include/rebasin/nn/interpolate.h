// Evaluates the loss between models: along the line or arc between two, and
// over the plane through three.
//
//   const rebasin::Line line = rebasin::Interpolate(
//       graph, {&a}, {&b, &alignment}, data.splits,
//       {.evaluate = {.normalization = data.normalization}});
//   std::printf("barrier %.3f\n", line.test.loss);

#ifndef REBASIN_NN_INTERPOLATE_H_
#define REBASIN_NN_INTERPOLATE_H_

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "rebasin/merge.h"
#include "rebasin/nn/evaluate.h"

namespace rebasin {

// Options of Interpolate.
struct InterpolateOptions {
  // A straight line, or the great circle (slerp).
  MergeMethod method = MergeMethod::kLinear;
  int points = 25;  // at least 2; evenly spaced from A to B
  // How each point is evaluated; `normalization` must be set.
  EvaluateOptions evaluate = {};
  // If set, changes the weights of a point before they are evaluated, for
  // example RecalculateBatchNorm. Not called for the two ends.
  std::function<Checkpoint(const Checkpoint& point, double lambda)> repair = {};
};

// The evaluation of one point. A part of the data that is empty is not
// evaluated; its Evaluation has 0 examples.
struct LinePoint {
  double lambda = 0;  // the share of B: 0 is A, 1 is B
  Evaluation train = {};
  Evaluation test = {};
};

// The loss barrier as Frankle et al. and the paper define it: the largest loss
// on the path minus the mean of the losses at the two ends.
struct Barrier {
  // Largest loss minus the mean of the losses at the ends.
  double loss = 0;           // height of the barrier; at least 0
  double at = 0;             // lambda of the largest loss
  double midpoint_loss = 0;  // at the point nearest to lambda 1/2
  double midpoint_accuracy = 0;
};

// The result of Interpolate: points in ascending lambda, and the barrier on
// each part of the data.
struct Line {
  std::vector<LinePoint> points;
  Barrier train;
  Barrier test;
};

// Evaluates `options.points` merges of A and B. Each point costs one pass over
// the weights and one Evaluate for each non-empty part of `data`. Throws
// Error(kUsage) for fewer than two points, Error(kMismatch) if both parts of
// `data` are empty, and what Merge and Evaluate throw.
Line Interpolate(const std::shared_ptr<const Graph>& graph, const MergeInput& a,
                 const MergeInput& b, const DataSplits& data,
                 const InterpolateOptions& options = {}, const Run& run = {});

// Computes the barrier of points in ascending lambda on one part of the data,
// `&LinePoint::train` or `&LinePoint::test`. A loss that is not a number counts
// as the largest. Returns zeros if the part was not evaluated.
Barrier BarrierOf(const std::vector<LinePoint>& points,
                  Evaluation LinePoint::*part);

// Options of EvaluatePlane.
struct PlaneOptions {
  int resolution = 25;  // points along each axis, at least 2
  // Added on each side of the three models, as a share of their extent.
  double margin = 0.25;
  EvaluateOptions evaluate = {};
};

// The loss over the plane through the models A, B and C. The coordinates are
// distances in weight space: A is the origin, B lies on the positive x axis.
struct Plane {
  std::vector<double> x = {}, y = {};  // coordinates of the grid
  std::vector<Evaluation> grid = {};   // y.size() rows of x.size() points
  std::array<std::array<double, 2>, 3> models = {};  // positions of A, B and C
};

// Evaluates resolution x resolution points of the plane; each costs one
// Evaluate. Throws Error(kUsage) if the models lie on one line or the
// resolution is below 2, and what Merge and Evaluate throw.
Plane EvaluatePlane(const std::shared_ptr<const Graph>& graph,
                    const std::array<MergeInput, 3>& models,
                    const Dataset& data, const PlaneOptions& options = {},
                    const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_INTERPOLATE_H_
