// The appendix: an idea that failed, the permutation of B towards which the
// loss of A falls most steeply.

#include "lab/blocks.h"
#include "lab/experiments/experiments.h"
#include "lab/pair.h"
#include "lab/recipes.h"
#include "lab/verdicts.h"
#include "rebasin/nn/match_baselines.h"

namespace rebasin::lab {
namespace {

Alignment Steepest(Lab& lab, const Pair& pair, const EvaluationSizes& sizes) {
  const Json known = lab.Memoized("steepest, alignment", [&] {
    SteepestOptions options;
    options.compute = lab.Measuring();
    options.normalization = pair.task->normalization;
    return Json(
        MatchSteepest(lab.GraphOf(pair.model), pair.a, pair.b,
                      lab.SymmetryOf(pair.model),
                      SelectFirst(pair.task->data.train, sizes.match_examples),
                      options, lab.RunFor("steepest descent"))
            .alignment.ToJson("lab"));
  });
  return Alignment::FromJson(known.get<std::string>(), "steepest");
}

}  // namespace

Document RunSteepest(Lab& lab) {
  const Task& mnist = lab.Mnist();
  const Pair pair = TrainPair(lab, mnist, MnistMlp(lab, mnist));
  EvaluationSizes sizes = DefaultSizes(lab, pair.model);
  const Checkpoint moved = Permute(pair.b, Steepest(lab, pair, sizes));
  // The dip is near A.
  EvaluationSizes fine = sizes;
  fine.points = 41;
  const Line line = Between(lab, "steepest, line", pair, moved, fine);
  std::vector<double> losses;
  for (const LinePoint& point : line.points) losses.push_back(point.train.loss);
  Document document{
      .title = "Steepest descent",
      .question =
          "Does it help to permute B so that the loss of A falls as "
          "steeply as possible on the way to it?"};
  document.claims = {AtSize(
      DipsThenRises(
          "The loss falls at first, and then there is a barrier all the same.",
          losses),
      pair.shortened)};
  const std::vector<NamedLine> lines = {
      {"naive", LineBy(lab, pair, Method::kNaive, sizes)},
      {"steepest descent", line},
      {"weight matching", LineBy(lab, pair, Method::kWeights, sizes)}};
  document.blocks = {LinesPlot("lines", "MLP on MNIST", "From A to B.", lines),
                     LinesTable("barriers", "Barriers", lines)};
  return document;
}

}  // namespace rebasin::lab
