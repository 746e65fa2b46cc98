// MergeMany (Git Re-Basin, Algorithm 4): rounds in which each model is matched
// to the mean of all others, from a start that uses all models.

#ifndef REBASIN_MATCH_MANY_MANY_ROUNDS_H_
#define REBASIN_MATCH_MANY_MANY_ROUNDS_H_

#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "match/descent/rematch.h"
#include "match/many/many_models.h"
#include "match/many/model_sum.h"
#include "rebasin/match.h"

namespace rebasin {

class ManyRounds {
 public:
  // Starts with the models unpermuted. All arguments must outlive the object.
  ManyRounds(const ManyModels& models, const ManyOptions& options,
             const Run& run, ThreadPool& pool);

  void StartAt(const std::vector<Alignment>& alignments);

  // Matches each model to the mean of the models before it. The paper's first
  // round matches to the mean of unaligned models instead, which is almost
  // constant, so that it follows noise. Returns the number of models that
  // moved.
  int JoinOneByOne();
  // Anneals all models at once (match/many/many_annealing.h), followed by a
  // round; keeps the result only if the spread is smaller. Returns the number
  // of models that moved.
  int Anneal();
  // Matches each model to the mean of all others, from its current permutation.
  int Round();

  // The sum over models of the squared distance to their mean.
  double Spread() const;
  std::vector<Alignment> Alignments() const;
  size_t size() const { return models_.size(); }

 private:
  bool Join(size_t m);
  bool Improve(size_t m);
  bool ImproveBy(const ManyStep& step, const Checkpoint& target, size_t m);
  bool MoveTo(size_t m, const Alignment& alignment);

  const ManyModels& models_;
  const ManyOptions& options_;
  const Run run_;
  ThreadPool& pool_;
  Random random_;
  std::vector<Standing> standings_;
  std::vector<Checkpoint> current_;  // the aligned models
  ModelSum sum_;                     // of current_
  double squares_ = 0;
};

// JoinOneByOne and, unless that already converged, Anneal; then rounds until
// nothing moves.
ManyResult MergeMany(const ManyModels& models, const ManyOptions& options,
                     const Run& run, ThreadPool& pool);
// Only the rounds, starting from these alignments.
ManyResult ContinueRounds(const ManyModels& models,
                          const std::vector<Alignment>& alignments,
                          const ManyOptions& options, const Run& run,
                          ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_MANY_ROUNDS_H_
