// Compares candidates for a merge on held-out examples: by loss, but a
// candidate that is mostly one parent is no merge.

#ifndef REBASIN_NN_TRIAL_H_
#define REBASIN_NN_TRIAL_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rebasin/nn/evaluate.h"
#include "rebasin/nn/knowledge.h"

namespace rebasin::nn {

struct TrialResult {
  Evaluation evaluation;
  KeptKnowledge kept = {};  // of the parents, if there are two or more
};

class Trial {
 public:
  // Evaluates the parents. `held_out` has labels.
  Trial(const std::shared_ptr<const Graph>& graph,
        std::span<const Checkpoint> parents, const Dataset& held_out,
        const ComputeOptions& compute, const Normalization& normalization,
        const Run& run);

  TrialResult Try(const Checkpoint& candidate) const;

 private:
  Evaluation Measure(const Checkpoint& model) const;

  const std::shared_ptr<const Graph> graph_;
  const EvaluateOptions options_;
  const Dataset held_out_;
  const Run run_;
  std::vector<int32_t> labels_;
  std::vector<Predictions> parents_;
};

// The index of the candidate with the lowest loss at its best temperature,
// among those that are not mostly one parent (MergeVerdict::kMostlyOne); among
// all if every one is, because then the parents or their shares ask for it. Of
// equal losses the first wins. Nothing if no loss is a number.
std::optional<size_t> BestOf(std::span<const TrialResult> candidates);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_TRIAL_H_
