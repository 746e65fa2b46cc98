// Matches many models at once by annealing. Each model is permuted softly, by
// doubly stochastic matrices. Its matrices are recomputed again and again from
// the costs against the mean of all others, while the temperature falls.
//
// The mean of softly permuted models contains only what is already certain, so
// early guesses can be revised. With hard permutations from the start, models
// soon fix each other in place.

#ifndef REBASIN_MATCH_MANY_MANY_ANNEALING_H_
#define REBASIN_MATCH_MANY_MANY_ANNEALING_H_

#include <vector>

#include "base/parallel.h"
#include "match/many/many_models.h"
#include "match/many/model_sum.h"
#include "match/soft/soft_alignment.h"
#include "rebasin/alignment.h"

namespace rebasin {

struct ManyAnnealingOptions {
  int sweeps = 6;
  // Falls geometrically from sweep to sweep; in units of the standard deviation
  // of a tree's costs.
  double first_temperature = 0.3;
  double last_temperature = 0.05;
};

class ManyAnnealing {
 public:
  // All arguments must outlive the object.
  ManyAnnealing(const ManyModels& models, ThreadPool& pool);

  // Starts with the first model as it is; the others join one by one in the
  // first sweep. Returns the permutations that are best for the costs of the
  // last sweep, with the first model not permuted. May be called once.
  std::vector<Alignment> Run(const ManyAnnealingOptions& options = {});

 private:
  size_t size() const { return models_.size(); }
  std::vector<int> Order() const;
  void Visit(size_t m, double temperature, bool backwards, bool last);

  const ManyModels& models_;
  ThreadPool& pool_;
  std::vector<int> order_;  // visiting order of the trees
  std::vector<SoftAlignment> soft_;
  std::vector<Checkpoint> current_;  // the softly permuted models
  std::vector<Alignment> alignments_;
  ModelSum sum_;  // of current_
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_MANY_ANNEALING_H_
