#include "cli/match_method.h"

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/networks.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

const char* EndText(StraightThroughEnd end) {
  switch (end) {
    case StraightThroughEnd::kStopped:
      return "interrupted";
    case StraightThroughEnd::kPatience:
      return "no further improvement";
    case StraightThroughEnd::kDiverged:
      return "diverged";
    case StraightThroughEnd::kDone:
      break;
  }
  return "all epochs done";
}

std::string Text(const StraightThroughResult& found) {
  return "midpoint loss on held-out examples: " + Number(found.start_loss) +
         " at the start, " + Number(found.best_loss) + " at step " +
         std::to_string(found.best_step) + " of " +
         std::to_string(found.steps) + " (" + EndText(found.end) + ")\n";
}

std::string Text(const AnnealingResult& found) {
  return "midpoint loss: " + Number(found.start_loss) + " at the start, " +
         Number(found.best_loss) + " after " + Count(found.moves, "move") +
         ", " + std::to_string(found.accepted) + " accepted\n";
}

std::string Text(const std::vector<TriedAlignment>& tried) {
  std::string text;
  for (const TriedAlignment& one : tried) {
    text += (text.empty() ? "midpoint loss on held-out examples, at the best "
                            "temperature, matched by "
                          : ", by ") +
            one.name + " " + Number(one.evaluation.calibrated_loss);
    if (one.kept.verdict != MergeVerdict::kMostlyOne) continue;
    text += " (" + VerdictText(one.kept) + ")";
  }
  return text + "\n";
}

Json ToJson(const StraightThroughResult& found) {
  Json points = Json::array();
  for (const StraightThroughPoint& point : found.history) {
    points.push_back({{"step", point.step},
                      {"train_loss", point.train_loss},
                      {"loss", point.loss},
                      {"accuracy", point.accuracy},
                      {"units_moved", point.units_moved}});
  }
  return {{"start_loss", found.start_loss}, {"best_loss", found.best_loss},
          {"best_step", found.best_step},   {"steps", found.steps},
          {"end", EndText(found.end)},      {"history", std::move(points)}};
}

Json ToJson(const AnnealingResult& found) {
  return {{"start_loss", found.start_loss},
          {"best_loss", found.best_loss},
          {"moves", found.moves},
          {"accepted", found.accepted}};
}

ModelData DataFor(const MatchJob& job, const Model& a, const Model& b,
                  Console& console) {
  return job.data.Open(console, {&a.weights, &b.weights});
}

}  // namespace

const AlignMethod& ParseAlignMethod(const std::string& option,
                                    const std::string& name,
                                    const std::vector<std::string>& more) {
  if (const AlignMethod* method = FindAlignMethod(name)) return *method;
  std::vector<std::string> names = more;
  for (const AlignMethod& method : AlignMethods()) names.push_back(method.name);
  FailChoice(option, name, names);
}

std::string MatchMethodsText() {
  constexpr size_t kColumn = 13;
  std::string text;
  for (const AlignMethod& method : AlignMethods()) {
    const std::string name = method.name;
    text += "  " + name + std::string(kColumn - name.size(), ' ') +
            method.help +
            (method.needs_labels ? " (labelled data)"
             : method.needs_data ? " (data)"
                                 : "") +
            "\n";
  }
  return text;
}

void CheckMatchJob(const std::string& option, const MatchJob& job) {
  const AlignMethod& method = ParseAlignMethod(option, job.method);
  if (method.needs_data && job.data.empty()) {
    throw Error(ErrorCode::kUsage, option + " " + job.method + " needs --data");
  }
}

bool NeedsData(const MatchJob& job) {
  const AlignMethod* method = FindAlignMethod(job.method);
  return method != nullptr && method->needs_data;
}

DataAlignResult RunMatchJob(const MatchJob& job, const Model& a, const Model& b,
                            Console& console, ProgressBar& progress) {
  Run run = RunFor(console, &progress);
  if (!NeedsData(job)) {
    return {.match = Align(a, b, {job.method, job.options}, run)};
  }
  if (a.graph() == nullptr) {
    throw Error(ErrorCode::kUsage, job.method + " matching needs a graph",
                "give --model NAME (or auto), or an .onnx file");
  }
  const Networks& networks = *console.context().networks;
  DataAlignOptions options =
      job.with_data.Options(networks.defaults(*a.graph()));
  const ModelData data = DataFor(job, a, b, console);
  options.method = job.method;
  options.match = job.options;
  options.examples =
      data.Calibration(job.with_data.Samples(), console.context().seed);
  options.normalization = data.normalization;
  options.straight_through->state_file = job.state_file;
  options.straight_through->resume = job.resume;
  std::optional<Alignment> start;
  if (const std::string file = job.with_data.StartFile(); !file.empty()) {
    start = Alignment::Load(file, Fingerprint(b.weights));
    options.start = &*start;
  }
  const InterruptGuard guard;
  run.stop = [] { return Interrupted(); };
  DataAlignResult found = networks.align(a, b, options, run);
  progress.Clear();
  return found;
}

ManyStep StepFor(const MatchJob& job, const Model& first, Console& console) {
  const Networks& networks = *console.context().networks;
  DataAlignOptions options =
      job.with_data.Options(networks.defaults(*first.graph()));
  const ModelData data = DataFor(job, first, first, console);
  options.match = job.options;
  options.examples =
      data.Calibration(job.with_data.Samples(), console.context().seed);
  options.normalization = data.normalization;
  return networks.step(first.graph(), options, RunFor(console));
}

std::string FindingsText(const DataAlignResult& found, const MatchJob& job) {
  std::string text;
  if (job.method == "activations") {
    text = "matched by " + Count(found.examples, "example") + "\n";
  }
  if (!found.has_labels) {
    text +=
        "matched by weights: the data has no labels to compare methods by\n";
  }
  if (!found.tried.empty()) text += Text(found.tried);
  if (found.straight_through) text += Text(*found.straight_through);
  if (found.annealing) text += Text(*found.annealing);
  return text;
}

Json FindingsJson(const DataAlignResult& found) {
  Json json = Json::object();
  if (found.examples > 0) json["examples"] = found.examples;
  for (const TriedAlignment& one : found.tried) {
    json["loss_half_way"][one.name] = one.evaluation.loss;
    json["tried"].push_back(
        {{"method", one.name},
         {"loss", one.evaluation.loss},
         {"calibrated_loss", one.evaluation.calibrated_loss},
         {"accuracy", one.evaluation.accuracy},
         {"mostly_one_parent", one.kept.verdict == MergeVerdict::kMostlyOne}});
  }
  if (found.straight_through) json.update(ToJson(*found.straight_through));
  if (found.annealing) json.update(ToJson(*found.annealing));
  return json;
}

}  // namespace rebasin::cli
