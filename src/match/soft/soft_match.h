// Matching with doubly stochastic matrices instead of permutations: the sweeps
// of annealing between a fixed model and a softly permuted one.

#ifndef REBASIN_MATCH_SOFT_SOFT_MATCH_H_
#define REBASIN_MATCH_SOFT_SOFT_MATCH_H_

#include <functional>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "match/costs/tree_costs.h"
#include "match/problem.h"
#include "match/soft/soft_alignment.h"
#include "match/soft/soft_block.h"
#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"

namespace rebasin {

class SoftMatch {
 public:
  // Starts from `soft`, which the sweeps change. All arguments must outlive the
  // object.
  SoftMatch(const Problem& problem, SoftAlignment& soft, ThreadPool& pool);

  // Recomputes the matrices of each tree from its costs with the neighbours'
  // soft matrices. Returns the expected objective, with each term counted once
  // for each of its trees. Visits trees in the given order, or backwards.
  double Sweep(const std::vector<int>& order, bool backwards,
               const Softness& softness);

  // Computes the costs of one tree with the neighbours' soft matrices and
  // passes them to `soften`, which must replace the tree's matrices.
  void Visit(int tree, const std::function<void(const TreeCosts&)>& soften);

  // Returns the best permutations for the costs of the last sweep.
  Alignment Solve() const;

  // Returns `model`, the problem's B, softly permuted; unmatched tensors are
  // copied.
  Checkpoint Softened(const Checkpoint& model);

  // If set, called after each visit of a tree.
  std::function<void()> visited;

 private:
  // A term of B, softly permuted in all slots but one, as of its last visit.
  struct Partial {
    int slot = 0;
    SoftBlock mixed;  // empty if there is no other slot
  };

  void AddSoftGram(const Occurrence& where, const CostTarget& costs);
  BlockView Of(const Partial& partial, int term) const;
  Partial MixOthers(int term, int slot);

  const Problem& problem_;
  SoftAlignment& soft_;
  ThreadPool& pool_;
  std::vector<TreeCosts> costs_;
  std::vector<std::optional<Partial>> partials_;  // by term
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_SOFT_SOFT_MATCH_H_
