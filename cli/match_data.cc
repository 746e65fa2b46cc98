// Matching with data, by name of the method (see cli/match_method.h).

#include <array>
#include <optional>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/networks.h"
#include "cli/repair.h"
#include "rebasin/calibrate.h"
#include "rebasin/error.h"
#include "rebasin/match_activations.h"
#include "rebasin/match_baselines.h"
#include "rebasin/repair.h"
#include "rebasin/straight_through.h"

namespace rebasin::cli {
namespace {

constexpr int64_t kMany = int64_t{1} << 40;
// Examples that tell which of several ways to match is best.
constexpr int64_t kJudging = 2000;

// Two models, and what they are matched by.
class DataMatcher {
 public:
  DataMatcher(const MatchJob& job, const Checkpoint& a, const Checkpoint& b,
              const Structure& structure, Console& console, Progress& progress)
      : job_(job),
        flags_(job.with_data),
        a_(a),
        b_(b),
        structure_(structure),
        console_(console),
        progress_(progress),
        data_(job.data.Open(console, {&a, &b})),
        examples_(CalibrationData(
            data_.splits,
            ParseInteger("--match-samples", flags_.samples, 1, kMany))) {
    compute_.threads = console.context().threads;
    if (job.method == "ste") SuitNetwork();
  }

  // The mean of networks with BatchNorm needs statistics of its own before its
  // activations mean anything.
  Alignment Step(const Checkpoint& target, const Checkpoint& model) const {
    const bool mend = HasBatchNorm(*structure_.graph);
    return MatchActivations(structure_.graph,
                            mend ? RecalculateBatchNorm(
                                       structure_.graph, target, examples_,
                                       {.compute = compute_,
                                        .normalization = data_.normalization})
                                 : target,
                            model, examples_, ActivationSettings())
        .alignment;
  }

  FoundMatch Run() {
    if (job_.method == "activations") return Activations();
    if (job_.method == "best") return Best();
    if (job_.method == "ste") return StraightThrough();
    if (job_.method == "steepest") return Steepest();
    return Annealing();
  }

 private:
  // Weights that BatchNorm rescales say less about units than activations do;
  // the search then starts where those put it, and stays near (measured in
  // docs/results.md).
  void SuitNetwork() {
    const bool norm = HasBatchNorm(*structure_.graph);
    const auto by_default = [](std::string& flag, const char* value) {
      if (flag.empty()) flag = value;
    };
    by_default(flags_.start, norm ? "activations" : "weights");
    if (!norm) return;
    by_default(flags_.mix, "0.5");
    by_default(flags_.latent, "b");
    by_default(flags_.schedule, "cosine");
    by_default(flags_.epochs, "4");
  }

  MatchActivationsOptions ActivationSettings() const {
    MatchActivationsOptions options;
    options.cost = ParseChoice<ActivationCost>(
        "--cost", flags_.cost,
        {{"correlation", ActivationCost::kCorrelation},
         {"product", ActivationCost::kProduct}});
    if (!flags_.mix.empty()) {
      options.weight_share = ParseShare("--mix", flags_.mix);
    }
    options.match = job_.options;
    options.compute = compute_;
    options.normalization = data_.normalization;
    return options;
  }

  FoundMatch Activations() {
    MatchActivationsOptions options = ActivationSettings();
    options.progress = Examples("activations");
    return {
        .match = MatchActivations(structure_.graph, a_, b_, examples_, options),
        .text = "matched by " + Count(examples_.size(), "example") + " of " +
                examples_.name() + "\n",
        .json = {{"examples", examples_.size()}}};
  }

  FoundMatch StraightThrough() {
    StraightThroughOptions options = StraightThroughSettings();
    const Alignment start = StartAlignment();
    options.start = &start;
    const InterruptGuard guard;
    options.stop = [] { return Interrupted(); };
    const StraightThroughResult found = MatchStraightThrough(
        structure_.graph, a_, b_, structure_.symmetry, examples_, options);
    return Told(found);
  }

  // What the search begins with, by another method or from a file.
  Alignment StartAlignment() {
    if (!IsMatchMethod(flags_.start)) {
      return Alignment::Load(flags_.start, Fingerprint(b_));
    }
    if (flags_.start == "ste") {
      throw Error(ErrorCode::kUsage, "--ste-start cannot be ste itself");
    }
    return RunOther(flags_.start, flags_.mix).match.alignment;
  }

  FoundMatch RunOther(const std::string& method, const std::string& mix) {
    DataMatcher other(*this);
    other.job_.method = method;
    other.flags_.mix = mix;
    if (FindMatchMethod("--method", method).needs_data) return other.Run();
    return RunMatchJob(other.job_, a_, b_, structure_, console_, progress_);
  }

  // What is tried costs little; which of them is best depends on the network.
  FoundMatch Best() {
    if (!examples_.has_labels()) {
      FoundMatch found = RunOther("weights", "");
      found.text += "matched by weights: the data has no labels to judge by\n";
      return found;
    }
    struct Way {
      const char *name, *method, *mix;
    };
    std::optional<FoundMatch> best;
    double lowest = 0;
    std::string text;
    Json json = Json::object();
    for (const Way& way :
         {Way{"weights", "weights", ""}, Way{"activations", "activations", "0"},
          Way{"both", "activations", "0.5"}}) {
      FoundMatch found = RunOther(way.method, way.mix);
      const double loss = LossHalfWay(found.match.alignment);
      text += (text.empty() ? "loss half-way, matched by " : ", by ") +
              std::string(way.name) + " " + Number(loss);
      json[way.name] = loss;
      if (best && !(loss < lowest)) continue;
      lowest = loss;
      best = std::move(found);
    }
    best->text += text + "\n";
    best->json["loss_half_way"] = std::move(json);
    return *std::move(best);
  }

  // With BatchNorm's statistics measured anew, as they will be.
  double LossHalfWay(const Alignment& alignment) const {
    const std::array<MergeInput, 2> models = {MergeInput{&a_},
                                              MergeInput{&b_, &alignment}};
    Checkpoint midpoint = Merge(models, {.threads = compute_.threads});
    const Dataset judging = SelectFirst(examples_, kJudging);
    if (HasBatchNorm(*structure_.graph)) {
      midpoint = RecalculateBatchNorm(
          structure_.graph, midpoint, judging,
          {.compute = compute_, .normalization = data_.normalization});
    }
    return Evaluate(structure_.graph, midpoint, judging,
                    {.compute = compute_, .normalization = data_.normalization})
        .loss;
  }

  StraightThroughOptions StraightThroughSettings() {
    StraightThroughOptions options;
    Override<StraightThroughStart>(
        "--ste-latent", flags_.latent,
        {{"a", StraightThroughStart::kModelA},
         {"b", StraightThroughStart::kPermuted},
         {"midpoint", StraightThroughStart::kMidpoint}},
        &options.latent_start);
    Override<StraightThroughLatent>(
        "--ste-learn", flags_.learn,
        {{"b", StraightThroughLatent::kPermuted},
         {"midpoint", StraightThroughLatent::kMidpoint}},
        &options.latent);
    Override<StraightThroughProjection>(
        "--ste-projection", flags_.projection,
        {{"distance", StraightThroughProjection::kDistance},
         {"product", StraightThroughProjection::kInnerProduct}},
        &options.projection);
    Override<OptimizerKind>(
        "--ste-optimizer", flags_.optimizer,
        {{"adam", OptimizerKind::kAdam}, {"sgd", OptimizerKind::kSgd}},
        &options.optimizer);
    Override<Schedule>(
        "--ste-schedule", flags_.schedule,
        {{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}},
        &options.schedule);
    Override("--ste-lr", flags_.rate, &options.learning_rate);
    Override("--ste-momentum", flags_.momentum, &options.momentum);
    // More and smaller steps: gradients take longer than anything else there.
    if (HasBatchNorm(*structure_.graph)) options.batch_size = 100;
    Override("--ste-batch", flags_.batch, &options.batch_size);
    Override("--ste-epochs", flags_.epochs, &options.max_epochs);
    Override("--ste-patience", flags_.patience, &options.patience, 0);
    Override("--ste-held-back", flags_.held_back, &options.held_back);
    Override("--ste-every", flags_.every, &options.evaluate_every);
    ParseLambda(options);
    options.match = job_.options;
    options.seed = job_.options.seed;
    options.compute = compute_;
    options.normalization = data_.normalization;
    options.state_file = job_.state_file;
    options.resume = job_.resume;
    options.on_step = [this](const StraightThroughProgress& now) {
      progress_.Update("straight-through: loss half-way " +
                           Number(now.last.loss) + ", best " +
                           Number(now.best_loss),
                       now.step, now.steps);
    };
    return options;
  }

  void ParseLambda(StraightThroughOptions& options) const {
    if (flags_.lambda.empty()) return;
    const size_t slash = flags_.lambda.find('/');
    options.lambda_low =
        ParseShare("--ste-lambda", flags_.lambda.substr(0, slash));
    options.lambda_high =
        slash == std::string::npos
            ? options.lambda_low
            : ParseShare("--ste-lambda", flags_.lambda.substr(slash + 1));
  }

  static FoundMatch Told(const StraightThroughResult& found) {
    Json points = Json::array();
    for (const StraightThroughPoint& point : found.history) {
      points.push_back({{"step", point.step},
                        {"train_loss", point.train_loss},
                        {"loss", point.loss},
                        {"accuracy", point.accuracy},
                        {"units_moved", point.units_moved}});
    }
    const bool stopped = found.end == StraightThroughEnd::kStopped;
    const std::string end =
        stopped                                      ? "interrupted"
        : found.end == StraightThroughEnd::kPatience ? "nothing better came"
        : found.end == StraightThroughEnd::kDiverged ? "diverged"
                                                     : "all epochs done";
    FoundMatch told{.match = {found.alignment, found.report},
                    .interrupted = stopped};
    told.match.report.start = "ste";
    told.match.report.converged = true;
    told.text =
        "loss half-way on examples held back: " + Number(found.start_loss) +
        " at the start, " + Number(found.best_loss) + " at step " +
        std::to_string(found.best_step) + " of " + std::to_string(found.steps) +
        " (" + end + ")\n";
    told.json = {{"start_loss", found.start_loss},
                 {"best_loss", found.best_loss},
                 {"best_step", found.best_step},
                 {"steps", found.steps},
                 {"end", end},
                 {"history", std::move(points)}};
    return told;
  }

  FoundMatch Steepest() {
    SteepestOptions options;
    options.match = job_.options;
    options.compute = compute_;
    options.normalization = data_.normalization;
    options.progress = Examples("gradient");
    return {.match = MatchSteepest(structure_.graph, a_, b_,
                                   structure_.symmetry, examples_, options)};
  }

  FoundMatch Annealing() {
    AnnealingOptions options;
    options.seconds = ParseNumber("--budget", flags_.budget);
    Override("--moves", flags_.moves, &options.moves);
    options.seed = job_.options.seed;
    options.compute = compute_;
    options.normalization = data_.normalization;
    options.progress = [this](double used, double loss, double best) {
      progress_.Update(
          "annealing: loss half-way " + Number(loss) + ", best " + Number(best),
          static_cast<int64_t>(1000 * used), 1000);
    };
    const InterruptGuard guard;
    options.stop = [] { return Interrupted(); };
    AnnealingResult found = MatchAnnealing(
        structure_.graph, a_, b_, structure_.symmetry, examples_, options);
    FoundMatch told{
        .match = {std::move(found.alignment), std::move(found.report)}};
    told.text = "loss half-way: " + Number(found.start_loss) +
                " at the start, " + Number(found.best_loss) + " after " +
                Count(found.moves, "move") + ", " +
                std::to_string(found.accepted) + " accepted\n";
    told.json = {{"start_loss", found.start_loss},
                 {"best_loss", found.best_loss},
                 {"moves", found.moves},
                 {"accepted", found.accepted}};
    return told;
  }

  std::function<void(int64_t, int64_t)> Examples(const std::string& stage) {
    return [this, stage](int64_t done, int64_t all) {
      progress_.Update(stage, done, all);
    };
  }

  MatchJob job_;
  DataMatchFlags flags_;
  const Checkpoint& a_;
  const Checkpoint& b_;
  const Structure& structure_;
  Console& console_;
  Progress& progress_;
  OpenedData data_;
  Dataset examples_;
  ComputeOptions compute_;
};

}  // namespace

FoundMatch MatchWithData(const MatchJob& job, const Checkpoint& a,
                         const Checkpoint& b, const Structure& structure,
                         Console& console, Progress& progress) {
  FoundMatch found = DataMatcher(job, a, b, structure, console, progress).Run();
  progress.Clear();
  return found;
}

ManyStep StepWithData(const MatchJob& job, const Checkpoint& first,
                      const Structure& structure, Console& console,
                      Progress& progress) {
  const auto matcher = std::make_shared<const DataMatcher>(
      job, first, first, structure, console, progress);
  return [matcher](const Checkpoint& target, const Checkpoint& model) {
    return matcher->Step(target, model);
  };
}

}  // namespace rebasin::cli
