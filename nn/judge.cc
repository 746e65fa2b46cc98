#include "rebasin/nn/judge.h"

#include "rebasin/merge.h"
#include "rebasin/nn/repair.h"

namespace rebasin {
namespace {

class MergeJudge {
 public:
  MergeJudge(const JudgeOptions& options, const Run& run)
      : options_(options),
        run_(run),
        quiet_{.threads = run.threads, .seed = run.seed, .stop = run.stop} {}

  Judgement Run() {
    Judgement judgement;
    for (const Checkpoint& model : options_.models) {
      judgement.parents.push_back(Measure(model));
    }
    judgement.ensemble =
        EvaluateEnsemble(options_.graph, options_.models, options_.test,
                         EvaluationOptions(), quiet_);
    if (!options_.aligned.empty()) MeasureAverages(judgement);
    judgement.merged = Measure(options_.merged);
    judgement.kept = KeptBy(judgement);
    if (JudgesPairs()) MeasurePairs(judgement);
    return judgement;
  }

 private:
  EvaluateOptions EvaluationOptions() const {
    return {.compute = options_.compute,
            .normalization = options_.normalization,
            .keep_predictions = true};
  }

  bool JudgesPairs() const {
    return !options_.aligned.empty() && options_.models.size() > 2 &&
           options_.models.size() <= options_.max_models_in_pairs;
  }

  int64_t Total() const {
    const auto n = static_cast<int64_t>(options_.models.size());
    const int64_t averages = options_.aligned.empty()    ? 0
                             : options_.repair == "none" ? 1
                                                         : 3;
    return n + averages + 1 + (JudgesPairs() ? n * (n - 1) / 2 : 0);
  }

  Evaluation Measure(const Checkpoint& model) {
    run_.Report("judging", done_++, Total());
    return Evaluate(options_.graph, model, options_.test, EvaluationOptions(),
                    quiet_);
  }

  KeptKnowledge KeptBy(const Judgement& judgement) const {
    std::vector<int32_t> labels;
    for (int64_t e = 0; e < options_.test.size(); ++e) {
      labels.push_back(options_.test.label(e));
    }
    std::vector<Predictions> parents;
    for (const Evaluation& parent : judgement.parents) {
      parents.push_back(parent.predictions);
    }
    return WhatIsKept(labels, parents, judgement.merged.predictions,
                      judgement.ensemble.predictions);
  }

  Checkpoint Average(const std::vector<Checkpoint>& models,
                     const std::vector<double>& shares) const {
    std::vector<MergeInput> inputs;
    for (const Checkpoint& model : models) inputs.push_back({&model, nullptr});
    return Merge(inputs, {.weights = shares}, quiet_);
  }

  Checkpoint Repaired(const std::vector<Checkpoint>& models,
                      const std::vector<double>& shares) const {
    return Repair({options_.graph, models, shares, Average(models, shares)},
                  {.method = options_.repair,
                   .calibration = options_.calibration,
                   .normalization = options_.normalization,
                   .compute = options_.compute},
                  quiet_)
        .model;
  }

  void MeasureAverages(Judgement& judgement) {
    judgement.plain_average =
        Measure(Average(options_.models, options_.shares));
    if (options_.repair == "none") return;
    judgement.repaired_average =
        Measure(Repaired(options_.models, options_.shares));
    judgement.aligned_average =
        Measure(Average(options_.aligned, options_.shares));
  }

  void MeasurePairs(Judgement& judgement) {
    const std::vector<Checkpoint>& aligned = options_.aligned;
    for (size_t x = 0; x + 1 < aligned.size(); ++x) {
      for (size_t y = x + 1; y < aligned.size(); ++y) {
        const double loss =
            Measure(Repaired({aligned[x], aligned[y]}, {0.5, 0.5})).loss;
        const double ends =
            (judgement.parents[x].loss + judgement.parents[y].loss) / 2;
        judgement.pairs.push_back({x, y, loss, loss - ends});
      }
    }
  }

  const JudgeOptions& options_;
  const rebasin::Run& run_;
  const rebasin::Run quiet_;  // merging and repairing have already warned
  int64_t done_ = 0;
};

}  // namespace

std::optional<Judgement> Judge(const JudgeOptions& options, const Run& run) {
  if (options.test.empty() || !options.test.has_labels()) return std::nullopt;
  return MergeJudge(options, run).Run();
}

}  // namespace rebasin
