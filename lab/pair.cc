#include "lab/pair.h"

#include <algorithm>

#include "lab/line_json.h"
#include "rebasin/error.h"
#include "rebasin/match.h"
#include "rebasin/nn/align.h"
#include "rebasin/nn/calibrate.h"
#include "rebasin/repair.h"

namespace rebasin::lab {
namespace {

// Examples for recalculating BatchNorm statistics.
constexpr int64_t kCalibration = 5000;

constexpr int kPaperBins = 10;

// Convolutions are slow for their number of operations: few channels do not
// fill a vector.
bool HasConvolutions(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& node) { return node.op == "Conv"; });
}

// The name of the method for `rebasin match --method`.
const char* AlignMethodOf(Method method) {
  switch (method) {
    case Method::kActivations:
      return "activations";
    case Method::kWeights:
      return "weights";
    case Method::kStraightThrough:
      return "ste";
    case Method::kNaive:
      break;
  }
  return "identity";
}

Model ModelOf(Lab& lab, const Pair& pair, const Checkpoint& weights) {
  return {.name = pair.name,
          .weights = weights,
          .structure = {.origin = Structure::Origin::kArchitecture,
                        .name = pair.model,
                        .graph = lab.GraphOf(pair.model),
                        .symmetry = lab.SymmetryOf(pair.model)}};
}

// Like `rebasin match`, with other numbers of examples.
Alignment Match(Lab& lab, const Pair& pair, Method method,
                const EvaluationSizes& sizes) {
  const Model a = ModelOf(lab, pair, pair.a), b = ModelOf(lab, pair, pair.b);
  DataAlignOptions options;
  options.method = AlignMethodOf(method);
  options.examples = SelectFirst(pair.task->data.train, sizes.match_examples);
  options.normalization = pair.task->normalization;
  options.compute = lab.options().compute;
  if (method == Method::kStraightThrough) {
    options.straight_through = DefaultsFor(*a.graph()).options;
    if (sizes.ste_epochs > 0) {
      options.straight_through->max_epochs = sizes.ste_epochs;
    }
  } else {
    options.compute = lab.Measuring();
  }
  const DataAlignResult found =
      AlignWithData(a, b, options, lab.RunFor(pair.name));
  if (found.interrupted) throw Error(ErrorCode::kStopped, "stopped");
  return found.match.alignment;
}

}  // namespace

uint64_t NetworkSeed(const Lab& lab, int64_t index) {
  return 1000 * lab.seed() + static_cast<uint64_t>(index) + 1;
}

Pair TrainPair(Lab& lab, const Task& task, Training training,
               const std::string& name) {
  Pair pair{.task = &task,
            .name = name.empty() ? training.name : name,
            .model = training.model,
            .shortened = training.shortened};
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

EvaluationSizes DefaultSizes(Lab& lab, const std::string& model) {
  if (HasConvolutions(*lab.GraphOf(model))) {
    return {.train_examples = lab.ForPreset<int64_t>(1000, 5000, 50000),
            .test_examples = lab.ForPreset<int64_t>(1000, 5000, 10000),
            .points = lab.ForPreset(11, 11, 25)};
  }
  return {.train_examples = lab.ForPreset<int64_t>(5000, 50000, 60000),
          .test_examples = 10000,
          .points = lab.ForPreset(11, 25, 25)};
}

Alignment MatchBy(Lab& lab, const Pair& pair, Method method,
                  const EvaluationSizes& sizes) {
  const Json known = lab.Memoized(
      pair.name + ", " + MethodName(method) + ", alignment",
      [&] { return Json(Match(lab, pair, method, sizes).ToJson("lab")); });
  return Alignment::FromJson(known.get<std::string>(), pair.name);
}

Line Between(Lab& lab, const std::string& key, const Pair& pair,
             const Checkpoint& b, const EvaluationSizes& sizes,
             bool recalculate) {
  const Json known = lab.Memoized(key, [&] {
    const auto graph = lab.GraphOf(pair.model);
    InterpolateOptions options{.points = sizes.points,
                               .evaluate = EvaluationOptions(lab, *pair.task)};
    if (recalculate && HasBatchNorm(*graph)) {
      options.repair = [&](const Checkpoint& point, double) {
        return RecalculateBatchNorm(
            graph, point, SelectFirst(pair.task->data.train, kCalibration),
            {.compute = lab.Measuring(),
             .normalization = pair.task->normalization},
            lab.QuietRun());
      };
    }
    return ToJson(
        Interpolate(graph, {.model = &pair.a}, {.model = &b},
                    {SelectFirst(pair.task->data.train, sizes.train_examples),
                     SelectFirst(pair.task->data.test, sizes.test_examples)},
                    options, lab.RunFor(key)));
  });
  return LineFromJson(known);
}

Line LineBy(Lab& lab, const Pair& pair, Method method,
            const EvaluationSizes& sizes) {
  const Alignment alignment = MatchBy(lab, pair, method, sizes);
  return Between(lab, pair.name + ", " + MethodName(method), pair,
                 Permute(pair.b, alignment, lab.QuietRun()), sizes);
}

Evaluations EvaluateOnAll(Lab& lab, const Task& task, const std::string& model,
                          const std::string& key,
                          const std::vector<Checkpoint>& networks) {
  const auto graph = lab.GraphOf(model);
  EvaluateOptions options = EvaluationOptions(lab, task);
  options.bins = kPaperBins;
  const auto evaluate = [&](const Dataset& data) {
    return ToJson(
        networks.size() == 1
            ? Evaluate(graph, networks[0], data, options, lab.QuietRun())
            : EvaluateEnsemble(graph, networks, data, options, lab.QuietRun()));
  };
  const Json found = lab.Memoized(key, [&] {
    return Json({{"train", evaluate(task.data.train)},
                 {"test", evaluate(task.data.test)}});
  });
  return {.train = EvaluationFromJson(found.at("train")),
          .test = EvaluationFromJson(found.at("test"))};
}

EvaluateOptions EvaluationOptions(const Lab& lab, const Task& task) {
  return {.compute = lab.Measuring(), .normalization = task.normalization};
}

}  // namespace rebasin::lab
