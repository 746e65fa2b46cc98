// A merged model beside what it was made of: its parents, their ensemble, and
// the plain average of their weights.

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

struct JudgeOptions {
  std::shared_ptr<const Graph> graph = {};
  std::vector<Checkpoint> models = {};   // as they came
  std::vector<Checkpoint> aligned = {};  // empty: they were not aligned
  std::vector<double> shares = {};
  Checkpoint merged = {};
  std::string repair = "none";  // what was done to it: see RepairOptions
  Dataset test = {};
  Dataset calibration = {};  // to repair others in the same way
  Normalization normalization = {};
  ComputeOptions compute = {};
  // Pairs of more models than this are not judged: they grow as the square.
  size_t most_in_pairs = 8;
};

// The loss half-way between two aligned models, and above the mean of theirs.
struct PairBarrier {
  size_t a = 0, b = 0;  // indices of models
  double loss = 0;
  double barrier = 0;
};

struct Judgement {
  std::vector<Evaluation> parents = {};
  Evaluation ensemble = {};
  // The average of models that were aligned, had they not been: as it is, and
  // repaired as the merge was.
  std::optional<Evaluation> plain_average = {}, repaired_average = {};
  Evaluation merged = {};
  std::vector<PairBarrier> pairs = {};  // of three models or more
  Kept kept = {};                       // what the merge kept of each parent

  // The highest accuracy of a parent.
  double best_parent() const {
    double best = 0;
    for (const Evaluation& parent : parents) {
      best = std::max(best, parent.accuracy);
    }
    return best;
  }
  bool worse_than_best_parent() const {
    return merged.accuracy < best_parent();
  }
};

// Nothing if the test data is empty or has no labels.
std::optional<Judgement> Judge(const JudgeOptions& options,
                               const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_JUDGE_H_
