#include "rebasin/nn/align.h"

#include <algorithm>
#include <array>
#include <utility>

#include "nn/trial.h"
#include "rebasin/error.h"
#include "rebasin/match.h"
#include "rebasin/nn/calibrate.h"
#include "rebasin/repair.h"

namespace rebasin {
namespace {

// The largest number of held-out examples for comparing candidates.
constexpr int64_t kMaxHeldOut = 2000;
// The weight share of the candidate "both".
constexpr double kMixed = 0.5;

// Two models with their graph and symmetry, and the options for aligning them.
struct Task {
  std::shared_ptr<const Graph> graph = {};
  std::shared_ptr<const Symmetry> symmetry = {};
  Checkpoint a = {}, b = {};
  DataAlignOptions options = {};
  Run run = {};
};

DataAlignResult RunTask(const Task& task);

Task WithMethod(Task task, const std::string& method,
                std::optional<double> weight_share) {
  task.options.method = method;
  task.options.weight_share = weight_share;
  return task;
}

MatchActivationsOptions ActivationOptions(const DataAlignOptions& options) {
  return {.cost = options.cost,
          .weight_share = options.weight_share.value_or(0),
          .match = options.match,
          .compute = options.compute,
          .normalization = options.normalization};
}

DataAlignResult ByActivations(const Task& task) {
  return {.match = MatchActivations(task.graph, task.a, task.b,
                                    task.options.examples,
                                    ActivationOptions(task.options), task.run),
          .examples = task.options.examples.size()};
}

Alignment StartAlignment(const Task& task,
                         const StraightThroughDefaults& usual) {
  const DataAlignOptions& options = task.options;
  if (options.start != nullptr) return *options.start;
  const std::string method = options.start_method.value_or(usual.start_method);
  if (method == "ste") {
    throw Error(ErrorCode::kUsage, "--ste-start cannot be ste itself");
  }
  // Interrupted here, there is no state of "ste" to save.
  return RunTask(WithMethod(task, method,
                            options.weight_share ? options.weight_share
                                                 : usual.weight_share))
      .match.alignment;
}

DataAlignResult ByStraightThrough(const Task& task) {
  const StraightThroughDefaults usual = DefaultsFor(*task.graph);
  StraightThroughOptions options =
      task.options.straight_through.value_or(usual.options);
  const Alignment start = StartAlignment(task, usual);
  options.start = &start;
  options.match = task.options.match;
  options.compute = task.options.compute;
  options.normalization = task.options.normalization;
  StraightThroughResult found =
      MatchStraightThrough(task.graph, task.a, task.b, task.symmetry,
                           task.options.examples, options, task.run);
  MatchResult match{found.alignment, found.report};
  match.report.start = "ste";
  match.report.converged = true;
  return {.match = std::move(match),
          .interrupted = found.end == StraightThroughEnd::kStopped,
          .examples = task.options.examples.size(),
          .straight_through = std::move(found)};
}

DataAlignResult BySteepestDescent(const Task& task) {
  return {.match = MatchSteepest(task.graph, task.a, task.b, task.symmetry,
                                 task.options.examples,
                                 {.match = task.options.match,
                                  .compute = task.options.compute,
                                  .normalization = task.options.normalization},
                                 task.run),
          .examples = task.options.examples.size()};
}

DataAlignResult ByAnnealing(const Task& task) {
  AnnealingOptions options = task.options.annealing;
  options.compute = task.options.compute;
  options.normalization = task.options.normalization;
  AnnealingResult found =
      MatchAnnealing(task.graph, task.a, task.b, task.symmetry,
                     task.options.examples, options, task.run);
  return {.match = {found.alignment, found.report},
          .examples = task.options.examples.size(),
          .annealing = std::move(found)};
}

// With recalculated BatchNorm statistics, as the merged model will have.
Checkpoint Midpoint(const Task& task, const Alignment& alignment,
                    const Dataset& judging) {
  const std::array<MergeInput, 2> models = {MergeInput{&task.a},
                                            MergeInput{&task.b, &alignment}};
  const Run quiet{.threads = task.run.threads, .stop = task.run.stop};
  const Checkpoint midpoint = Merge(models, {}, quiet);
  if (!HasBatchNorm(*task.graph)) return midpoint;
  return RecalculateBatchNorm(task.graph, midpoint, judging,
                              {.compute = task.options.compute,
                               .normalization = task.options.normalization},
                              quiet);
}

// Compares the cheap methods; the best one depends on the network. They are
// compared on examples that none of them has used.
DataAlignResult ByBestCandidate(const Task& task) {
  if (!task.options.examples.has_labels()) {
    DataAlignResult found = RunTask(WithMethod(task, "weights", {}));
    found.has_labels = false;
    return found;
  }
  const int64_t tenth = task.options.examples.size() / 10;
  const HeldOut parts =
      HoldOut(task.options.examples, std::clamp<int64_t>(tenth, 1, kMaxHeldOut),
              /*full_batches=*/false, task.run.seed);
  Task learning = task;
  learning.options.examples = parts.train;
  const struct {
    const char *name, *method;
    double share;
  } ways[] = {{"weights", "weights", 0},
              {"activations", "activations", 0},
              {"both", "activations", kMixed}};
  const Run quiet{.threads = task.run.threads, .stop = task.run.stop};
  const std::array<Checkpoint, 2> parents = {task.a, task.b};
  const nn::Trial trial(task.graph, parents, parts.held_out,
                        task.options.compute, task.options.normalization,
                        quiet);
  std::vector<DataAlignResult> found;
  std::vector<nn::TrialResult> results;
  std::vector<TriedAlignment> tried;
  for (const auto& way : ways) {
    found.push_back(RunTask(WithMethod(learning, way.method, way.share)));
    results.push_back(trial.Try(
        Midpoint(task, found.back().match.alignment, parts.held_out)));
    tried.push_back({way.name, results.back().evaluation, results.back().kept});
  }
  DataAlignResult best = std::move(found[nn::BestOf(results).value_or(0)]);
  best.tried = std::move(tried);
  return best;
}

// By the names of AlignMethods().
struct AlignFunction {
  const char* name;
  DataAlignResult (*function)(const Task& task);
};
constexpr AlignFunction kFunctions[] = {
    {"activations", ByActivations}, {"best", ByBestCandidate},
    {"ste", ByStraightThrough},     {"steepest", BySteepestDescent},
    {"annealing", ByAnnealing},
};

DataAlignResult RunTask(const Task& task) {
  for (const AlignFunction& row : kFunctions) {
    if (task.options.method == row.name) return row.function(task);
  }
  return {.match = Align(
              task.a, task.b, task.symmetry,
              {.method = task.options.method, .match = task.options.match},
              task.run)};
}

// Wraps methods that find permutations only: scales and signs are fitted around
// them.
DataAlignResult RunScaled(const Task& task) {
  std::optional<DataAlignResult> found;
  MatchResult match = MatchScaled(
      task.a, task.b, task.symmetry,
      [&](const Checkpoint& a, const Checkpoint& b,
          const std::shared_ptr<const Symmetry>& symmetry) {
        Task plain = task;
        plain.a = a;
        plain.b = b;
        plain.symmetry = symmetry;
        found = RunTask(plain);
        return found->match;
      },
      task.run);
  found->match = std::move(match);
  return *std::move(found);
}

}  // namespace

StraightThroughDefaults DefaultsFor(const Graph& graph) {
  StraightThroughDefaults defaults;
  if (!HasBatchNorm(graph)) return defaults;
  defaults.start_method = "activations";
  defaults.weight_share = kMixed;
  defaults.options.latent_start = StraightThroughStart::kPermuted;
  defaults.options.schedule = Schedule::kCosine;
  // Smaller batches and steps: gradients take most of the time there.
  defaults.options.batch_size = 100;
  defaults.options.max_epochs = 4;
  return defaults;
}

DataAlignResult AlignWithData(const Model& a, const Model& b,
                              const DataAlignOptions& options, const Run& run) {
  const AlignMethod* method = FindAlignMethod(options.method);
  const bool needs_data = method != nullptr && method->needs_data;
  if (needs_data && a.graph() == nullptr) {
    throw Error(ErrorCode::kUsage, options.method + " matching needs a graph",
                "give --model NAME (or auto), or an .onnx file");
  }
  const Task task{a.graph(), a.symmetry(), a.weights, b.weights, options, run};
  const bool scaled = needs_data && !a.symmetry()->scalings().empty();
  return scaled ? RunScaled(task) : RunTask(task);
}

ManyStep ActivationStep(const std::shared_ptr<const Graph>& graph,
                        const DataAlignOptions& options, const Run& run) {
  const Run quiet = run.WithoutProgress();
  return [=](const Checkpoint& target, const Checkpoint& model) {
    const Checkpoint mended =
        HasBatchNorm(*graph)
            ? RecalculateBatchNorm(graph, target, options.examples,
                                   {.compute = options.compute,
                                    .normalization = options.normalization},
                                   quiet)
            : target;
    return MatchActivations(graph, mended, model, options.examples,
                            ActivationOptions(options), quiet)
        .alignment;
  };
}

}  // namespace rebasin
