// Accumulates the score of logits and labels. Scores of batches are added in
// order, so the sum does not depend on threads.

#ifndef REBASIN_NN_SCORE_H_
#define REBASIN_NN_SCORE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "rebasin/nn/evaluate.h"

namespace rebasin::nn {

class Score {
 public:
  Score(int bins, bool find_temperature, bool keep_predictions = false);

  // Adds one example. Requires a non-empty row and a label inside it. If a
  // logit is NaN or the largest is infinite, the loss becomes NaN and the
  // prediction counts as wrong.
  void Add(std::span<const float> logits, int64_t label);
  void Add(const Score& other);

  Evaluation Result() const;

 private:
  struct Bin {
    int64_t count = 0;
    int64_t correct = 0;
    double confidence = 0;
  };

  int64_t examples_ = 0;
  int64_t classes_ = 0;
  int64_t correct_ = 0;
  int64_t among_five_ = 0;
  double loss_ = 0;
  std::vector<Bin> bins_;
  // The loss at each of a list of temperatures, so that the best one can be
  // found without storing logits. Empty if not requested.
  std::vector<double> tempered_;
  bool keeps_predictions_ = false;
  std::vector<int32_t> predictions_;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_SCORE_H_
