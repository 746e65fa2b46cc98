#include "lab/pair.h"

#include <algorithm>

#include "lab/line_json.h"
#include "rebasin/calibrate.h"
#include "rebasin/match.h"
#include "rebasin/match_activations.h"
#include "rebasin/repair.h"
#include "rebasin/straight_through.h"

namespace rebasin::lab {
namespace {

// Examples that BatchNorm statistics are measured on.
constexpr int64_t kCalibration = 5000;

MatchOptions MatchSettings(const Lab& lab) {
  MatchOptions options;
  options.seed = lab.seed();
  options.threads = lab.options().compute.threads;
  return options;
}

Alignment ByActivations(Lab& lab, const Pair& pair, const Looks& looks) {
  MatchActivationsOptions options;
  options.match = MatchSettings(lab);
  options.compute = lab.Measuring();
  options.normalization = pair.task->normalization;
  options.progress = lab.Saying(pair.name + ": activations");
  return MatchActivations(
             lab.GraphOf(pair.model), pair.a, pair.b,
             SelectFirst(pair.task->data.train, looks.match_examples), options)
      .alignment;
}

Alignment ByWeights(Lab& lab, const Pair& pair) {
  lab.Say(pair.name + ": weights");
  return MatchWeights(pair.a, pair.b, lab.SymmetryOf(pair.model),
                      MatchSettings(lab))
      .alignment;
}

Alignment ByStraightThrough(Lab& lab, const Pair& pair, const Looks& looks) {
  StraightThroughOptions options;
  options.match = MatchSettings(lab);
  options.compute = lab.options().compute;
  options.normalization = pair.task->normalization;
  options.seed = lab.seed();
  options.max_epochs = looks.ste_epochs;
  options.batch_size =
      HasBatchNorm(*lab.GraphOf(pair.model)) ? 100 : looks.ste_batch;
  options.on_step = [&](const StraightThroughProgress& now) {
    lab.Say(pair.name + ": straight-through", now.step, now.steps);
  };
  return MatchStraightThrough(
             lab.GraphOf(pair.model), pair.a, pair.b,
             lab.SymmetryOf(pair.model),
             SelectFirst(pair.task->data.train, looks.match_examples), options)
      .alignment;
}

// These take long for the operations that they are: few channels fill no
// vector.
bool HasConvolutions(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& node) { return node.op == "Conv"; });
}

Alignment Match(Lab& lab, const Pair& pair, Method method, const Looks& looks) {
  switch (method) {
    case Method::kActivations:
      return ByActivations(lab, pair, looks);
    case Method::kWeights:
      return ByWeights(lab, pair);
    case Method::kStraightThrough:
      return ByStraightThrough(lab, pair, looks);
    case Method::kNaive:
      break;
  }
  return Alignment(lab.SymmetryOf(pair.model));
}

}  // namespace

uint64_t NetworkSeed(const Lab& lab, int64_t index) {
  return 1000 * lab.seed() + static_cast<uint64_t>(index) + 1;
}

Pair TrainPair(Lab& lab, const Task& task, const std::string& name,
               Training training) {
  Pair pair{.task = &task, .name = name, .model = training.model};
  training.recipe.seed = NetworkSeed(lab, 0);
  pair.a = lab.Train(task, training);
  training.recipe.seed = NetworkSeed(lab, 1);
  pair.b = lab.Train(task, training);
  return pair;
}

const char* MethodName(Method method) {
  switch (method) {
    case Method::kActivations:
      return "activation matching";
    case Method::kWeights:
      return "weight matching";
    case Method::kStraightThrough:
      return "straight-through";
    case Method::kNaive:
      break;
  }
  return "naive";
}

std::vector<Method> AllMethods() {
  return {Method::kNaive, Method::kActivations, Method::kWeights,
          Method::kStraightThrough};
}

Looks UsualLooks(Lab& lab, const std::string& model) {
  if (HasConvolutions(*lab.GraphOf(model))) {
    return {.match_examples = lab.By<int64_t>(4000, 10000, 50000),
            .ste_epochs = lab.By<int64_t>(4, 10, 50),
            .ste_batch = lab.By<int64_t>(100, 500, 500),
            .train_examples = lab.By<int64_t>(1000, 5000, 50000),
            .test_examples = lab.By<int64_t>(1000, 5000, 10000),
            .points = lab.By(11, 11, 25)};
  }
  return {.match_examples = lab.By<int64_t>(10000, 30000, 50000),
          .ste_epochs = lab.By<int64_t>(6, 20, 50),
          .train_examples = lab.By<int64_t>(5000, 50000, 60000),
          .test_examples = 10000,
          .points = lab.By(11, 25, 25)};
}

Alignment MatchBy(Lab& lab, const Pair& pair, Method method,
                  const Looks& looks) {
  const Json known = lab.Once(
      pair.name + ", " + MethodName(method) + ", alignment",
      [&] { return Json(Match(lab, pair, method, looks).ToJson("lab")); });
  return Alignment::FromJson(known.get<std::string>(), pair.name);
}

Line Between(Lab& lab, const std::string& key, const Pair& pair,
             const Checkpoint& b, const Looks& looks, bool recalculate) {
  const Json known = lab.Once(key, [&] {
    const auto graph = lab.GraphOf(pair.model);
    InterpolateOptions options{.points = looks.points,
                               .evaluate = EvaluateAs(lab, *pair.task)};
    options.progress = lab.Saying(key);
    if (recalculate && HasBatchNorm(*graph)) {
      options.repair = [&](const Checkpoint& point, double) {
        return RecalculateBatchNorm(
            graph, point, SelectFirst(pair.task->data.train, kCalibration),
            {.compute = lab.Measuring(),
             .normalization = pair.task->normalization});
      };
    }
    return ToJson(
        Interpolate(graph, {.model = &pair.a}, {.model = &b},
                    {SelectFirst(pair.task->data.train, looks.train_examples),
                     SelectFirst(pair.task->data.test, looks.test_examples)},
                    options));
  });
  return LineFromJson(known);
}

Line LineBy(Lab& lab, const Pair& pair, Method method, const Looks& looks) {
  const Alignment alignment = MatchBy(lab, pair, method, looks);
  return Between(lab, pair.name + ", " + MethodName(method), pair,
                 Permute(pair.b, alignment, lab.options().compute.threads),
                 looks);
}

Evaluation OnTestSet(Lab& lab, const Task& task, const std::string& model,
                     const std::string& key,
                     const std::vector<Checkpoint>& networks) {
  return EvaluationFromJson(lab.Once(key, [&] {
    const auto graph = lab.GraphOf(model);
    const EvaluateOptions options = EvaluateAs(lab, task);
    const Dataset& test = task.data.test;
    return ToJson(networks.size() == 1
                      ? Evaluate(graph, networks[0], test, options)
                      : EvaluateEnsemble(graph, networks, test, options));
  }));
}

EvaluateOptions EvaluateAs(const Lab& lab, const Task& task) {
  return {.compute = lab.Measuring(), .normalization = task.normalization};
}

}  // namespace rebasin::lab
