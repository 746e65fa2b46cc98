// MergeMany (Git Re-Basin, Algorithm 4): rounds in which each model is matched
// to the mean of all others, from a start that knows all models.

#ifndef REBASIN_MATCH_MANY_MANY_ROUNDS_H_
#define REBASIN_MATCH_MANY_MANY_ROUNDS_H_

#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "match/descent/rematch.h"
#include "match/many/many_models.h"
#include "match/many/model_sum.h"
#include "rebasin/merge.h"

namespace rebasin {

class ManyRounds {
 public:
  // Models as they are. Everything given must outlive the rounds.
  ManyRounds(const ManyModels& models, const ManyOptions& options,
             const Run& run, ThreadPool& pool);

  void StartAt(const std::vector<Alignment>& alignments);

  // Each model joins the mean of those before it. Matching all to the mean of
  // models that are not aligned yet, as the paper's first round does, follows
  // noise: the mean of many permuted networks is nearly constant. Returns how
  // many models moved.
  int JoinOneByOne();
  // All models at once, by annealing (merge/many_annealing.h), and a round from
  // there; kept only if the spread is smaller then. Returns how many models
  // moved.
  int Anneal();
  // Each model is matched to the mean of all others, from where it stands.
  int Round();

  // Sum over models of the squared distance to their mean.
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
  std::vector<Checkpoint> current_;  // the models, aligned
  ModelSum sum_;                     // of current_
  double squares_ = 0;
};

// Joins and, unless that is all there is to do, anneals; then rounds until
// nothing moves.
ManyResult MergeMany(const ManyModels& models, const ManyOptions& options,
                     const Run& run, ThreadPool& pool);
// Only the latter, from these alignments.
ManyResult GoOnMerging(const ManyModels& models,
                       const std::vector<Alignment>& alignments,
                       const ManyOptions& options, const Run& run,
                       ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_MANY_ROUNDS_H_
