// Matching with doubly stochastic matrices in the place of permutations: the
// sweeps that annealing is made of, between a model that stays as it is and one
// that is softly permuted.

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
  // From where `soft` stands, which is moved. Everything given must outlive it.
  SoftMatch(const Problem& problem, SoftAlignment& soft, ThreadPool& pool);

  // Softens each tree by its costs, computed with the soft matrices of its
  // neighbours. Returns the expected objective, each term counted once for each
  // of its trees. Trees are visited in the order given, or backwards.
  double Sweep(const std::vector<int>& order, bool backwards,
               const Softness& softness);

  // Computes the costs of one tree with the soft matrices of its neighbours;
  // `soften` is to replace the tree's own matrices then.
  void Visit(int tree, const std::function<void(const TreeCosts&)>& soften);

  // The permutations that the costs of the last sweep ask for.
  Alignment Solve() const;

  // `model`, which is the problem's B, softly permuted; tensors that are not
  // matched as they are.
  Checkpoint Softened(const Checkpoint& model);

  // Called after each visit of a tree, if set.
  std::function<void()> visited;

 private:
  // A term of B, softened in all slots but one, as its last visit left it.
  struct Partial {
    int slot = 0;
    SoftBlock mixed;  // without values, if there is no other slot
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
