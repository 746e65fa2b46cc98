// Matches many models at once: one permutation for each model and group into a
// common order of units, so that all pairs are consistent.
//
// Maximises the sum over all pairs of models of the inner products of their
// permuted weights,
//
//   F = 1/2 (|sum_i pi_i(W_i)|^2 - sum_i |pi_i(W_i)|^2),
//
// by Frank-Wolfe. Permutations become doubly stochastic matrices. In each step
// all of them move towards the permutations that are best for the gradient,
// with one common step size, which is optimal. A group tree moves within the
// convex hull of its permutations of each combined index, so trees and groups
// on several axes need no special treatment: SolveTree solves the linear
// problem.

#ifndef REBASIN_MATCH_MANY_FRANK_WOLFE_H_
#define REBASIN_MATCH_MANY_FRANK_WOLFE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

// The start of one model: the permutations of `alignment`, mixed with a share
// `softness` of the mean of all permutations. If all models start at softness
// 1, units cannot be distinguished and nothing moves.
struct SoftStart {
  Alignment alignment;
  double softness = 0;
};

struct FrankWolfeOptions {
  int max_steps = 100;
  // Stops when a step raises F by less than this share of the sum of all
  // squared weights, times the number of models that each is compared with.
  double min_gain = 1e-5;
  std::function<void(int step, double objective)> progress = {};
};

struct FrankWolfeOutcome {
  std::vector<Alignment> alignments;      // the projected soft matrices
  std::vector<double> objective_by_step;  // of the soft matrices; rises
};

// Requires models of the same structure with finite float32 weights that fit
// the symmetry. Memory: four times the weights of layers between two groups,
// twice those of others. The result is the same for any number of threads.
FrankWolfeOutcome MatchByFrankWolfe(std::span<const Checkpoint> models,
                                    std::shared_ptr<const Symmetry> symmetry,
                                    std::span<const SoftStart> starts,
                                    const FrankWolfeOptions& options,
                                    ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_MANY_FRANK_WOLFE_H_
