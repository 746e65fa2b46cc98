// Compares a merged model with what it was made of: its parents, their
// ensemble, and the plain average of their weights without alignment.
//
//   const auto judgement = rebasin::Judge(
//       {.graph = graph, .models = {a, b}, .aligned = {a, moved_b},
//        .shares = {0.5, 0.5}, .merged = merged, .test = data.splits.test,
//        .normalization = data.normalization});
//   if (judgement && judgement->worse_than_best_parent()) { /* warn */ }

#ifndef REBASIN_NN_JUDGE_H_
#define REBASIN_NN_JUDGE_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rebasin/nn/evaluate.h"
#include "rebasin/nn/knowledge.h"

namespace rebasin {

// The inputs and options of Judge. Checkpoints are cheap to copy.
struct JudgeOptions {
  // Must not be null.
  std::shared_ptr<const Graph> graph = {};
  std::vector<Checkpoint> models = {};   // the parents, before alignment
  std::vector<Checkpoint> aligned = {};  // after alignment; empty: not aligned
  std::vector<double> shares = {};       // weights of the parents in the merge
  // The result of the merge, after its repair.
  Checkpoint merged = {};
  // The repair that `merged` already has: a name from RepairMethods(), or
  // "none". The averages that are compared with it get the same repair.
  std::string repair = "none";
  // Labelled examples that no model has seen.
  Dataset test = {};
  // Examples for repairing the averages; unused if `repair` is "none".
  Dataset calibration = {};
  // Must be the normalization that the models were trained with.
  Normalization normalization = {};
  ComputeOptions compute = {};
  // Pairs are evaluated only up to this number of models, since their number
  // grows with its square.
  size_t max_models_in_pairs = 8;
};

// The midpoint of two aligned models.
struct PairBarrier {
  size_t a = 0, b = 0;  // indices of models
  double loss = 0;      // loss of the midpoint
  double barrier = 0;   // `loss` minus the mean of the two models' losses
};

// The evaluations, all on JudgeOptions::test.
struct Judgement {
  std::vector<Evaluation> parents = {};  // one for each model, in their order
  Evaluation ensemble = {};              // mean of the parents' probabilities
  // The average of the models without alignment, as it is and with the repair
  // of the merge. Set only if the models were aligned; the second only if there
  // is a repair.
  std::optional<Evaluation> plain_average = {}, repaired_average = {};
  // The average of the aligned models before the repair. Set if the models were
  // aligned and there is a repair.
  std::optional<Evaluation> aligned_average = {};
  // The merged model itself.
  Evaluation merged = {};
  std::vector<PairBarrier> pairs = {};  // only for three aligned models or more
  // What the merged model kept of each parent.
  KeptKnowledge kept = {};

  // The highest accuracy of a parent.
  double best_parent_accuracy() const {
    double best = 0;
    for (const Evaluation& parent : parents) {
      best = std::max(best, parent.accuracy);
    }
    return best;
  }
  // Compares accuracies on the same test data.
  bool worse_than_best_parent() const {
    return merged.accuracy < best_parent_accuracy();
  }
};

// Evaluates all of them. Returns nothing if the test data is empty or has no
// labels. Costs one Evaluate for each parent, the merge and each average, one
// ensemble, and one for each pair. Throws what Evaluate, Merge and Repair
// throw.
std::optional<Judgement> Judge(const JudgeOptions& options,
                               const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_JUDGE_H_
