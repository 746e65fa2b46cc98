// Doubly stochastic matrices instead of permutations: one for each combined
// index of groups that occurs in a tensor (`heads`, `heads*qk`).

#ifndef REBASIN_MATCH_SOFT_SOFT_ALIGNMENT_H_
#define REBASIN_MATCH_SOFT_SOFT_ALIGNMENT_H_

#include <map>
#include <vector>

#include "assignment/assignment.h"
#include "base/parallel.h"
#include "match/costs/tree_costs.h"
#include "match/soft/soft_block.h"
#include "match/soft/soft_siblings.h"
#include "symmetry/layout.h"

namespace rebasin {

struct Softness {
  double temperature = 1;  // in units of the costs' standard deviation
  int iterations = 20;     // of Sinkhorn's algorithm
  // Whether each matrix starts from the potentials of its previous value.
  bool goes_on = false;
};

class SoftAlignment {
 public:
  using Matrix = std::vector<float>;

  // Returns the block with one slot multiplied by that slot's matrix. Every
  // matrix is initially the barycentre of all permutations, 1/n.
  SoftBlock Mixed(const BlockView& from, int slot, ThreadPool& pool);

  // Replaces the matrices of a tree by Sinkhorn(costs / temperature).
  void Soften(const TreeCosts& costs, const Softness& softness,
              ThreadPool& pool);

  // Sets the matrix of the slot's combined index.
  void Set(const Slot& slot, Matrix matrix);

  // The expected value of the costs under the matrices.
  double ExpectedValue(const TreeCosts& costs);

 private:
  // Identifies a combined index.
  using Groups = std::vector<int>;

  // The matrix of the slot's combined index, A's units by B's, row-major.
  const Matrix& Of(const Slot& slot);
  void SoftenTree(const TreeCosts& costs, const Softness& softness,
                  ThreadPool& pool);
  Matrix SoftenRoot(const CostMatrix& cost, int root, const Softness& softness);

  std::map<Groups, Matrix> matrices_;
  std::map<int, std::vector<float>> potentials_;  // by root
  std::map<int, SoftSiblings> siblings_;          // by root
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_SOFT_SOFT_ALIGNMENT_H_
