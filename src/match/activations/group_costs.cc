#include "match/activations/group_costs.h"

#include <algorithm>
#include <cassert>

#include "match/descent/tree_solver.h"

namespace rebasin {

std::vector<int> RootsOf(std::span<const CostPart> costs) {
  std::vector<int> roots;
  for (const CostPart& part : costs) {
    const int root = part.slot.root;
    if (std::find(roots.begin(), roots.end(), root) == roots.end()) {
      roots.push_back(root);
    }
  }
  return roots;
}

std::vector<CostPart> Blended(std::vector<CostPart> x,
                              std::span<const CostPart> y, double share) {
  assert(x.size() == y.size());
  for (size_t p = 0; p < x.size(); ++p) {
    for (size_t i = 0; i < x[p].gram.size(); ++i) {
      x[p].gram[i] =
          static_cast<float>((1 - share) * x[p].gram[i] + share * y[p].gram[i]);
    }
  }
  return x;
}

Alignment SolveCosts(const std::shared_ptr<const Symmetry>& symmetry,
                     std::span<const CostPart> costs, ThreadPool& pool) {
  Alignment alignment(symmetry);
  const std::vector<int> roots = RootsOf(costs);
  pool.For(static_cast<int64_t>(roots.size()), [&](int64_t r) {
    std::vector<CostPart> mine;
    for (const CostPart& part : costs) {
      if (part.slot.root == roots[r]) mine.push_back(part);
    }
    AssignmentDuals duals;
    // Each root writes to different groups.
    SolveTree(roots[r], mine, pool, alignment, duals);
  });
  return alignment;
}

}  // namespace rebasin
