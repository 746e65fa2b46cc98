// The annealed start. Every permutation starts as a doubly stochastic matrix at
// the barycentre of all permutations. Sweeps replace each matrix by
// Sinkhorn(costs / temperature), with costs computed from the neighbours' soft
// matrices, and the temperature falls until the matrices are almost
// permutations.

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
  // raises the expected objective by less than `hold_gain`, the temperature is
  // multiplied by `cooling`, until it is below the last one. Holding matters:
  // near the critical temperature, information spreads by one layer in each
  // sweep.
  double first_temperature = 1.0;
  double last_temperature = 0.2;
  double cooling = 0.8;
  double hold_gain = 0.01;
  int most_sweeps = 100;
  int sinkhorn_iterations = 20;
  std::function<void()> visited =
      {};  // if set, called after each visit of a tree
};

// `order` is the order of the trees in the first sweep; every other sweep
// visits them backwards.
Alignment Anneal(const Problem& problem, const std::vector<int>& order,
                 const AnnealOptions& options, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_SOFT_ANNEAL_H_
