#include "match/activations/match_by_costs.h"

#include <algorithm>
#include <vector>

#include "match/activations/group_costs.h"

namespace rebasin {
namespace {

bool HasUnmatchedRoots(const Symmetry& symmetry,
                       const std::vector<int>& roots) {
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    const int root = symmetry.Root(static_cast<int>(g));
    if (std::find(roots.begin(), roots.end(), root) == roots.end()) return true;
  }
  return false;
}

}  // namespace

Alignment MatchByCosts(const std::shared_ptr<const Symmetry>& symmetry,
                       std::span<const CostPart> costs, double weight_share,
                       const Checkpoint& a, const Checkpoint& b,
                       const MatchOptions& options, const Run& run,
                       ThreadPool& pool) {
  if (weight_share > 0) {
    return MatchMixed(symmetry, costs, weight_share, a, b, options, run);
  }
  Alignment alignment = SolveCosts(symmetry, costs, pool);
  const std::vector<int> roots = RootsOf(costs);
  if (!HasUnmatchedRoots(*symmetry, roots)) return alignment;
  MatchOptions rest = options;
  rest.start = MatchStart::kGiven;
  rest.from = &alignment;
  rest.keep = roots;
  return MatchWeights(a, b, symmetry, rest, run).alignment;
}

}  // namespace rebasin
