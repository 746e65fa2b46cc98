// A merge beside what it was made of (see cli/networks.h).

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/networks.h"
#include "cli/repair.h"
#include "rebasin/evaluate.h"

namespace rebasin::cli {
namespace {

// Pairs grow with the square of the models.
constexpr size_t kMostInPairs = 8;

class MergeJudge {
 public:
  MergeJudge(const JudgeRequest& request, const OpenedData& data,
             const Context& context, Progress& progress)
      : request_(request),
        progress_(progress),
        test_(SelectFirst(data.splits.test, request.examples)),
        calibration_(
            CalibrationData(data.splits, request.calibration_examples)) {
    evaluate_.compute.threads = calibrate_.compute.threads = context.threads;
    evaluate_.normalization = calibrate_.normalization = data.normalization;
  }

  bool CanJudge() const { return !test_.empty() && test_.has_labels(); }

  Judgement Run() {
    MeasureParents();
    Add("ensemble",
        EvaluateEnsemble(request_.graph, request_.models, test_, evaluate_));
    if (!request_.aligned.empty()) {
      Add("plain average", Measure(Repaired(request_.models, request_.shares)));
    }
    const Evaluation merged = Measure(request_.merged);
    Add("merged", merged);
    std::string text = "on " + Count(test_.size(), "example") + " of " +
                       test_.name() + ":\n" + table_.Text();
    const bool pairs =
        !request_.aligned.empty() && request_.models.size() <= kMostInPairs;
    if (pairs && request_.models.size() > 2) text += PairsText();
    text += Verdict(merged);
    progress_.Clear();
    return {.text = std::move(text), .json = std::move(json_)};
  }

 private:
  Evaluation Measure(const Checkpoint& model) {
    progress_.Update("judging", ++done_, Total());
    return Evaluate(request_.graph, model, test_, evaluate_);
  }

  int64_t Total() const {
    const auto n = static_cast<int64_t>(request_.models.size());
    const bool pairs = !request_.aligned.empty() && n > 2 &&
                       n <= static_cast<int64_t>(kMostInPairs);
    return n + 2 + (pairs ? n * (n - 1) / 2 : 0);
  }

  void Add(const std::string& name, const Evaluation& found) {
    table_.Add({name, Number(found.loss), Percent(found.accuracy),
                Fixed(found.calibration_error, 4)});
    json_["models"].push_back({{"name", name},
                               {"loss", found.loss},
                               {"accuracy", found.accuracy},
                               {"calibration_error", found.calibration_error}});
  }

  void MeasureParents() {
    for (size_t m = 0; m < request_.models.size(); ++m) {
      parents_.push_back(Measure(request_.models[m]));
      if (request_.models.size() <= kMostInPairs) {
        Add("model " + std::to_string(m + 1), parents_.back());
      }
    }
    if (request_.models.size() > kMostInPairs) AddRange();
  }

  // Many parents are told by their best and worst.
  void AddRange() {
    const auto by_loss = [](const Evaluation& x, const Evaluation& y) {
      return x.loss < y.loss;
    };
    const auto [best, worst] =
        std::minmax_element(parents_.begin(), parents_.end(), by_loss);
    Add("best model", *best);
    Add("worst model", *worst);
  }

  Checkpoint Repaired(const std::vector<Checkpoint>& models,
                      const std::vector<double>& shares) {
    std::vector<MergeInput> inputs;
    for (const Checkpoint& model : models) inputs.push_back({&model, nullptr});
    const Checkpoint plain = rebasin::Merge(inputs, {.weights = shares});
    return RunRepair(request_.repair, {request_.graph, models, shares, plain},
                     calibration_, calibrate_);
  }

  // The loss half-way between two aligned models, above the mean of theirs.
  std::string PairsText() {
    const size_t n = request_.models.size();
    std::vector<std::string> header = {"model"};
    for (size_t m = 2; m <= n; ++m) header.push_back(std::to_string(m));
    Table table(std::string(n, 'r'), header);
    Json barriers = Json::array();
    for (size_t x = 0; x + 1 < n; ++x) {
      std::vector<std::string> row = {std::to_string(x + 1)};
      for (size_t y = 1; y < n; ++y) {
        if (y <= x) {
          row.push_back("");
          continue;
        }
        const double loss =
            Measure(Repaired({request_.aligned[x], request_.aligned[y]},
                             {0.5, 0.5}))
                .loss;
        const double barrier = loss - (parents_[x].loss + parents_[y].loss) / 2;
        row.push_back(Number(barrier));
        barriers.push_back(
            {{"models", {x + 1, y + 1}}, {"loss", loss}, {"barrier", barrier}});
      }
      table.Add(std::move(row));
    }
    json_["pairs"] = std::move(barriers);
    return "loss half-way between each pair, above the mean of theirs:\n" +
           table.Text();
  }

  std::string Verdict(const Evaluation& merged) {
    double best = 0;
    for (const Evaluation& parent : parents_) {
      best = std::max(best, parent.accuracy);
    }
    const bool worse = merged.accuracy < best;
    json_["worse_than_best_parent"] = worse;
    if (!worse) return "the merge is at least as accurate as its best parent\n";
    return "the merge is less accurate than its best parent, by " +
           Fixed(100 * (best - merged.accuracy), 2) + " points\n";
  }

  const JudgeRequest& request_;
  Progress& progress_;
  Dataset test_, calibration_;
  EvaluateOptions evaluate_ = {};
  CalibrateOptions calibrate_ = {};
  std::vector<Evaluation> parents_;
  int64_t done_ = 0;
  Table table_{"lrrr", {"", "loss", "accuracy", "calibration error"}};
  Json json_ = {{"models", Json::array()}};
};

}  // namespace

Judgement Judge(const JudgeRequest& request, const DataFlags& data,
                Console& console, Progress& progress) {
  std::vector<const Checkpoint*> models;
  for (const Checkpoint& model : request.models) models.push_back(&model);
  MergeJudge judge(request, data.Open(console, models), console.context(),
                   progress);
  if (!judge.CanJudge()) return {};
  return judge.Run();
}

}  // namespace rebasin::cli
