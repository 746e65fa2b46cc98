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

MapPlot MapOf(const std::string& file, const std::string& name,
              const Json& plane) {
  Contour contour{.title = name + ": the plane through A, B and the permuted B",
                  .x_label = "distance",
                  .y_label = "distance",
                  .z_label = "test loss"};
  contour.x = plane["x"].get<std::vector<double>>();
  contour.y = plane["y"].get<std::vector<double>>();
  for (const Json& z : plane["z"]) {
    contour.z.push_back(z.is_null() ? INFINITY : z.get<double>());
  }
  const auto point = [&](size_t i, const char* label) {
    return MapPoint{label, plane["models"][i][0], plane["models"][i][1]};
  };
  contour.points = {point(0, "A"), point(1, "B"), point(2, "permuted B")};
  contour.paths = {{contour.points[0], contour.points[1], "to B"},
                   {contour.points[0], contour.points[2], "to permuted B"}};
  return {.name = file,
          .caption =
              "Test loss over the plane. B and the permuted B compute "
              "the same function; only the latter lies in A's basin.",
          .contour = contour};
}

void Add(Lab& lab, Document& document, const std::string& file,
         const Pair& pair) {
  const EvaluationSizes sizes = DefaultSizes(lab, pair.model);
  const Checkpoint moved = Permute(
      pair.b, MatchBy(lab, pair, Method::kWeights, sizes), lab.QuietRun());
  const Json plane = lab.Memoized(
      "plane, " + pair.name, [&] { return MeasurePlane(lab, pair, moved); });
  const std::vector<NamedLine> lines = {
      {"to B", LineBy(lab, pair, Method::kNaive, sizes)},
      {"to permuted B", LineBy(lab, pair, Method::kWeights, sizes)}};
  document.claims.push_back(AtSize(
      BarrierVanishes(pair.name +
                          ": after its units are permuted, B lies in the same "
                          "basin as A (Figure 1; test data).",
                      lines[0].line.test.loss,
                      {{"to permuted B", lines[1].line.test.loss}}),
      pair.shortened));
  document.blocks.push_back(MapOf(file + "-plane", pair.name, plane));
  document.blocks.push_back(
      LinesTable(file + "-paths", "Along the straight paths", lines));
}

}  // namespace

Document RunContour(Lab& lab) {
  Document document{.title = "One basin",
                    .question =
                        "Does a permutation bring network B into the basin of "
                        "network A?"};
  if (lab.Wants("mnist-mlp")) {
    const Task& mnist = lab.Mnist();
    Add(lab, document, "mnist", TrainPair(lab, mnist, MnistMlp(lab, mnist)));
  }
  if (lab.Wants("cifar-mlp")) {
    const Task& cifar = lab.Cifar10();
    Add(lab, document, "cifar10", TrainPair(lab, cifar, CifarMlp(lab, cifar)));
  }
  return document;
}

}  // namespace rebasin::lab
