// Many models matched at once by annealing: each is softly permuted, by doubly
// stochastic matrices in the place of permutations, and softened again and
// again by its costs against the mean of all others, while the temperature
// falls.
//
// The mean of softly permuted models holds what is certain already and nothing
// else, so that early guesses bind nobody; permutations that are hard from the
// start are soon held in place by one another.

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
  // Everything given must outlive it.
  ManyAnnealing(const ManyModels& models, ThreadPool& pool);

  // From the first model as it is, which all others join one by one in the
  // first sweep. Returns what the costs of the last sweep ask for, again with
  // the first model as it is. To be run once.
  std::vector<Alignment> Run(const ManyAnnealingOptions& options = {});

 private:
  size_t size() const { return models_.size(); }
  std::vector<int> Order() const;
  void Visit(size_t m, double temperature, bool backwards, bool last);

  const ManyModels& models_;
  ThreadPool& pool_;
  std::vector<int> order_;  // of the trees
  std::vector<SoftAlignment> soft_;
  std::vector<Checkpoint> current_;  // the models, softly permuted
  std::vector<Alignment> alignments_;
  ModelSum sum_;  // of current_
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_MANY_ANNEALING_H_
