// Figure 1: the loss over the plane through A, B and the permuted B.

#include <cmath>

#include "base/text.h"
#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/line_json.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/verdicts.h"

namespace rebasin::lab {
namespace {

Json PlaneJson(const Plane& plane) {
  Json losses = Json::array();
  for (const Evaluation& at : plane.grid) losses.push_back(ToJson(at)["loss"]);
  return {
      {"x", plane.x}, {"y", plane.y}, {"z", losses}, {"models", plane.models}};
}

Json MeasurePlane(Lab& lab, const Pair& pair, const Checkpoint& moved) {
  PlaneOptions options{.resolution = lab.ForPreset(21, 41, 61),
                       .evaluate = EvaluationOptions(lab, *pair.task)};
  return PlaneJson(EvaluatePlane(
      lab.GraphOf(pair.model),
      {MergeInput{&pair.a}, MergeInput{&pair.b}, MergeInput{&moved}},
      SelectFirst(pair.task->data.test,
                  lab.ForPreset<int64_t>(2000, 10000, 10000)),
      options, lab.RunFor("plane")));
}

MapPlot MapOf(const Json& plane) {
  Contour contour{.title = "The plane through A, B and the permuted B",
                  .x_label = "distance",
                  .y_label = "distance",
                  .z_label = "test loss"};
  contour.x = plane["x"].get<std::vector<double>>();
  contour.y = plane["y"].get<std::vector<double>>();
  for (const Json& z : plane["z"]) {
    contour.z.push_back(z.is_null() ? INFINITY : z.get<double>());
  }
  const auto point = [&](size_t i, const char* name) {
    return MapPoint{name, plane["models"][i][0], plane["models"][i][1]};
  };
  contour.points = {point(0, "A"), point(1, "B"), point(2, "permuted B")};
  contour.paths = {{contour.points[0], contour.points[1], "to B"},
                   {contour.points[0], contour.points[2], "to permuted B"}};
  return {.name = "plane",
          .caption =
              "Test loss over the plane. B and the permuted B compute "
              "the same function; only the latter lies in A's basin.",
          .contour = contour};
}

}  // namespace

Document RunContour(Lab& lab) {
  const Task& mnist = lab.Mnist();
  const Pair pair = TrainPair(lab, mnist, "MLP on MNIST", MnistMlp(lab, mnist));
  const EvaluationSizes sizes = DefaultSizes(lab, pair.model);
  const Checkpoint moved = Permute(
      pair.b, MatchBy(lab, pair, Method::kWeights, sizes), lab.QuietRun());
  const Json plane = lab.Memoized(
      "plane, MLP on MNIST", [&] { return MeasurePlane(lab, pair, moved); });
  const std::vector<NamedLine> lines = {
      {"to B", LineBy(lab, pair, Method::kNaive, sizes)},
      {"to permuted B", LineBy(lab, pair, Method::kWeights, sizes)}};
  Document document{.title = "One basin",
                    .question =
                        "Does a permutation bring network B into the basin of "
                        "network A?"};
  document.claims = {BarrierVanishes(
      "After its units are permuted, B lies in the same basin as A (Figure 1).",
      lines[0].line.test.loss, {{"to permuted B", lines[1].line.test.loss}})};
  document.blocks = {MapOf(plane),
                     LinesTable("paths", "Along the straight paths", lines)};
  return document;
}

}  // namespace rebasin::lab
