// The loss between models: along the line (or arc) between two, and over the
// plane through three.

#ifndef REBASIN_NN_INTERPOLATE_H_
#define REBASIN_NN_INTERPOLATE_H_

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "rebasin/merge.h"
#include "rebasin/nn/evaluate.h"

namespace rebasin {

struct InterpolateOptions {
  MergeMethod method = MergeMethod::kLinear;
  int points = 25;  // at least 2; evenly from A to B
  EvaluateOptions evaluate = {};
  // Changes the weights of a point before it is evaluated: BatchNorm
  // recalculation, for one. Not asked for the ends.
  std::function<Checkpoint(const Checkpoint& point, double lambda)> repair = {};
};

struct LinePoint {
  double lambda = 0;      // the share of B
  Evaluation train = {};  // of no examples if there is no such data
  Evaluation test = {};
};

// The loss barrier of Frankle et al. and of the paper: the largest loss on the
// way minus the mean of the ends' losses.
struct Barrier {
  double loss = 0;
  double at = 0;             // lambda of the largest loss
  double midpoint_loss = 0;  // at lambda 1/2; of the nearest point
  double midpoint_accuracy = 0;
};

struct Line {
  std::vector<LinePoint> points;
  Barrier train;
  Barrier test;
};

// Each point costs one pass over the weights and one over the data. Empty
// parts of `data` are left out. Throws what Merge and Evaluate throw.
Line Interpolate(const std::shared_ptr<const Graph>& graph, const MergeInput& a,
                 const MergeInput& b, const DataSplits& data,
                 const InterpolateOptions& options = {}, const Run& run = {});

// The part of `line` that Barrier describes, from its losses; for tests and
// for lines that were put together otherwise.
Barrier BarrierOf(const std::vector<LinePoint>& points,
                  Evaluation LinePoint::*part);

struct PlaneOptions {
  int resolution = 25;   // points along each axis, at least 2
  double margin = 0.25;  // around the three models, as a share of their extent
  EvaluateOptions evaluate = {};
};

// The loss over the plane through three models. Its coordinates measure
// distance in weight space: A lies at the origin, B on the x axis.
struct Plane {
  std::vector<double> x = {}, y = {};
  std::vector<Evaluation> grid = {};  // row by row: y.size() rows of x.size()
  std::array<std::array<double, 2>, 3> models = {};  // where A, B and C lie
};

// Throws Error(kUsage) if the models lie on one line.
Plane EvaluatePlane(const std::shared_ptr<const Graph>& graph,
                    const std::array<MergeInput, 3>& models,
                    const Dataset& data, const PlaneOptions& options = {},
                    const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_INTERPOLATE_H_
