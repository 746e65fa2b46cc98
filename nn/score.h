// What logits and labels add up to. Scores of batches are added in order, so
// that the sum does not depend on who computed which.

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

  // One example. The row must not be empty, and the label lie in it. NaN
  // anywhere, or infinity as the largest, makes the loss NaN and the prediction
  // wrong.
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
  // The loss at each of a list of temperatures: the best one is found without
  // a second look at the logits. Empty if not asked for.
  std::vector<double> tempered_;
  bool keeps_predictions_ = false;
  std::vector<int32_t> predictions_;
};

}  // namespace rebasin::nn

#endif  // REBASIN_NN_SCORE_H_
