#include "match/descent/tree_solver.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <set>

#include "match/costs/cost_window.h"
#include "match/descent/siblings.h"

namespace rebasin {
namespace {

using Permutation = std::vector<int32_t>;

// The permutations of one group and all groups inside it, for one pair of outer
// units.
struct Solution {
  double value = 0;
  Permutation permutation;
  // By inner group: one solution for each unit of this group.
  std::map<int, std::vector<Solution>> inner;
};

class Solver {
 public:
  Solver(const Symmetry& symmetry, ThreadPool& pool)
      : symmetry_(symmetry), pool_(pool) {}

  // All windows must start with `group`.
  Solution Solve(int group, const std::vector<CostWindow>& windows,
                 const AssignmentOptions& options,
                 AssignmentDuals* duals) const {
    const int64_t n = symmetry_.groups()[group].size;
    std::vector<float> storage;
    const CostMatrix cost = PairCosts(n, windows, storage);
    Assignment assignment = SolveAssignment(cost, options);
    Solution solution{.value = assignment.value,
                      .permutation = assignment.column_of_row,
                      .inner = {}};
    if (duals != nullptr) *duals = std::move(assignment.duals);
    for (int64_t i = 0; i < n; ++i) {
      for (auto& [inner, found] :
           SolveInner(windows, i, solution.permutation[i])) {
        solution.inner[inner].push_back(std::move(found));
      }
    }
    return solution;
  }

 private:
  // The value of pairing unit i of A with unit j of B, with the best inner
  // permutations.
  CostMatrix PairCosts(int64_t n, const std::vector<CostWindow>& windows,
                       std::vector<float>& storage) const {
    if (windows.size() == 1 && windows[0].dims.size() == 1) {
      return {.data = windows[0].data, .n = n, .stride = windows[0].stride};
    }
    storage.resize(n * n);
    pool_.For(n, [&](int64_t i) {
      for (int64_t j = 0; j < n; ++j) {
        storage[i * n + j] = static_cast<float>(PairValue(windows, i, j));
      }
    });
    return {.data = storage.data(), .n = n, .stride = n};
  }

  double PairValue(const std::vector<CostWindow>& windows, int64_t i,
                   int64_t j) const {
    double value = 0;
    for (const CostWindow& window : windows) {
      if (window.dims.size() == 1) value += window.data[i * window.stride + j];
    }
    for (const auto& [group, solution] : SolveInner(windows, i, j)) {
      value += solution.value;
    }
    return value;
  }

  // Matches all groups directly inside for the pair (i, j).
  std::map<int, Solution> SolveInner(const std::vector<CostWindow>& windows,
                                     int64_t i, int64_t j) const {
    std::vector<CostWindow> inside;
    for (const CostWindow& window : windows) {
      if (window.dims.size() > 1) inside.push_back(window.Inside(i, j));
    }
    std::map<int, Solution> solutions;
    for (const auto& component : Components(inside)) {
      SolveComponent(component, solutions);
    }
    return solutions;
  }

  bool IsChain(const CostWindow& window) const {
    for (size_t d = 1; d < window.dims.size(); ++d) {
      const int parent = symmetry_.groups()[window.dims[d].group].parent;
      if (parent != window.dims[d - 1].group) return false;
    }
    return true;
  }

  // Groups windows that share groups, which must be solved together.
  static std::vector<std::vector<CostWindow>> Components(
      const std::vector<CostWindow>& windows) {
    std::vector<std::vector<CostWindow>> components;
    std::vector<std::set<int>> groups;
    for (const CostWindow& window : windows) {
      std::vector<CostWindow> merged = {window};
      std::set<int> mine;
      for (const Dim& dim : window.dims) mine.insert(dim.group);
      for (size_t c = components.size(); c-- > 0;) {
        const bool meets = std::any_of(groups[c].begin(), groups[c].end(),
                                       [&](int g) { return mine.count(g); });
        if (!meets) continue;
        merged.insert(merged.begin(), components[c].begin(),
                      components[c].end());
        mine.insert(groups[c].begin(), groups[c].end());
        components.erase(components.begin() + c);
        groups.erase(groups.begin() + c);
      }
      components.push_back(std::move(merged));
      groups.push_back(std::move(mine));
    }
    return components;
  }

  void SolveComponent(const std::vector<CostWindow>& component,
                      std::map<int, Solution>& solutions) const {
    const bool chains =
        std::all_of(component.begin(), component.end(),
                    [&](const CostWindow& window) { return IsChain(window); });
    if (chains) {
      const int group = component[0].dims[0].group;
      solutions[group] = Solve(
          group, component, {.maximize = true, .warm_start = nullptr}, nullptr);
    } else {
      SolveCoupled(component, solutions);
    }
  }

  void SolveCoupled(const std::vector<CostWindow>& windows,
                    std::map<int, Solution>& solutions) const {
    SiblingMatch match = MatchSiblings(symmetry_, windows);
    // The value belongs to the component; it is stored with its first group.
    double value = match.value;
    for (int group : match.order) {
      solutions[group] = {.value = value,
                          .permutation = std::move(match.permutations[group]),
                          .inner = {}};
      value = 0;
    }
  }

  const Symmetry& symmetry_;
  ThreadPool& pool_;
};

void Store(int group, int64_t copy, const Solution& solution,
           Alignment& alignment) {
  std::copy(solution.permutation.begin(), solution.permutation.end(),
            alignment.mutable_permutation(group, copy).begin());
  const auto size = static_cast<int64_t>(solution.permutation.size());
  for (const auto& [inner, solutions] : solution.inner) {
    for (int64_t i = 0; i < size; ++i) {
      Store(inner, copy * size + i, solutions[i], alignment);
    }
  }
}

}  // namespace

void SolveTree(int root, std::span<const CostPart> parts, ThreadPool& pool,
               Alignment& alignment, AssignmentDuals& duals) {
  std::vector<CostWindow> windows;
  for (const CostPart& part : parts) {
    windows.push_back(WholeWindow(part));
  }
  if (windows.empty()) return;
  const Solver solver(alignment.symmetry(), pool);
  const AssignmentDuals before = std::move(duals);
  const Solution solution = solver.Solve(
      root, windows, {.maximize = true, .warm_start = &before}, &duals);
  Store(root, 0, solution, alignment);
}

}  // namespace rebasin
