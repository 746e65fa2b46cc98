// The annealed start: every permutation is first a doubly stochastic matrix,
// at the barycentre of all permutations. Sweeps over the trees replace each by
// Sinkhorn(costs / temperature), the costs computed against the soft matrices
// of the neighbours; the temperature falls until the matrices are nearly hard.

#ifndef REBASIN_MATCH_SOFT_ANNEAL_H_
#define REBASIN_MATCH_SOFT_ANNEAL_H_

#include <functional>

#include "base/parallel.h"
#include "match/costs/gram.h"
#include "match/problem.h"
#include "rebasin/alignment.h"

namespace rebasin {

struct AnnealOptions {
  // In units of the standard deviation of a tree's costs. After each sweep that
  // no longer raises the expected objective by `hold_gain`, the temperature is
  // multiplied by `cooling`, until it falls below the last one. Holding
  // matters: near the critical temperature information spreads one layer a
  // sweep.
  double first_temperature = 1.0;
  double last_temperature = 0.2;
  double cooling = 0.8;
  double hold_gain = 0.01;
  int most_sweeps = 100;
  int sinkhorn_iterations = 20;
  std::function<void()> visited =
      {};  // called after each visit of a tree, if set
};

// `order` lists the trees as the first sweep visits them; every other sweep
// goes backwards.
Alignment Anneal(const Problem& problem, const std::vector<int>& order,
                 const AnnealOptions& options, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_SOFT_ANNEAL_H_
