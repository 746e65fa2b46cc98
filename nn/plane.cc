#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <string>
#include <utility>

#include "nn/evaluator.h"
#include "nn/weights.h"
#include "rebasin/error.h"
#include "rebasin/nn/interpolate.h"

namespace rebasin {
namespace {

using Place = std::array<double, 2>;

nn::Weights Load(const std::shared_ptr<const Graph>& graph,
                 const MergeInput& input) {
  if (input.alignment == nullptr) return {graph, *input.model};
  return {graph, Permute(*input.model, *input.alignment)};
}

double Dot(const at::Tensor& a, const at::Tensor& b) {
  return at::dot(a.to(at::kDouble), b.to(at::kDouble)).item<double>();
}

// The plane through three points: an origin and two unit vectors.
struct Frame {
  at::Tensor origin = {}, along = {}, across = {};
  std::array<Place, 3> models = {};
};

// Gram-Schmidt.
Frame MakeFrame(const std::array<nn::Weights, 3>& models) {
  Frame frame{.origin = models[0].flat()};
  const at::Tensor b = models[1].flat() - frame.origin;
  const at::Tensor c = models[2].flat() - frame.origin;
  const double length = std::sqrt(Dot(b, b));
  const double beside = length > 0 ? Dot(b, c) / length : 0;
  const double height = std::sqrt(std::max(Dot(c, c) - beside * beside, 0.0));
  if (!(length > 0) || !(height > 1e-6 * length)) {
    throw Error(ErrorCode::kUsage,
                "the three models lie on one line, so they define no plane");
  }
  frame.along = b / length;
  frame.across = (c - beside * frame.along) / height;
  frame.models = {{{0, 0}, {length, 0}, {beside, height}}};
  return frame;
}

// Evenly spaced over the models' range in one coordinate, plus a margin.
std::vector<double> Coordinates(const std::array<Place, 3>& models,
                                size_t coordinate,
                                const PlaneOptions& options) {
  double low = models[0][coordinate], high = low;
  for (const Place& place : models) {
    low = std::min(low, place[coordinate]);
    high = std::max(high, place[coordinate]);
  }
  const double margin = options.margin * (high - low);
  std::vector<double> axis;
  for (int i = 0; i < options.resolution; ++i) {
    const double share = static_cast<double>(i) / (options.resolution - 1);
    axis.push_back(low - margin + share * (high - low + 2 * margin));
  }
  return axis;
}

}  // namespace

Plane EvaluatePlane(const std::shared_ptr<const Graph>& graph,
                    const std::array<MergeInput, 3>& models,
                    const Dataset& data, const PlaneOptions& options,
                    const Run& run) {
  if (options.resolution < 2) {
    throw Error(ErrorCode::kUsage,
                "a plane needs at least two points on each side");
  }
  const c10::NoGradGuard no_gradients;
  const Frame frame = MakeFrame(
      {Load(graph, models[0]), Load(graph, models[1]), Load(graph, models[2])});
  Plane plane{.x = Coordinates(frame.models, 0, options),
              .y = Coordinates(frame.models, 1, options),
              .models = frame.models};
  nn::Evaluator evaluator(graph, data, options.evaluate, run.WithoutProgress());
  const nn::Weights point(graph);
  const auto all = static_cast<int64_t>(plane.x.size() * plane.y.size());
  for (double y : plane.y) {
    const at::Tensor row = frame.origin + y * frame.across;
    for (double x : plane.x) {
      run.Report("points", static_cast<int64_t>(plane.grid.size()), all);
      at::Tensor flat = point.flat();
      at::add_out(flat, row, frame.along, x);
      plane.grid.push_back(evaluator.Run(point));
    }
  }
  run.Report("points", all, all);
  return plane;
}

}  // namespace rebasin
