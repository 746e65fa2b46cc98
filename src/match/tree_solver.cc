#include "match/tree_solver.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <set>

namespace rebasin {
namespace {

using Permutation = std::vector<int32_t>;

// Costs over the groups `groups` of A's and B's units, once the pair of outer
// units is chosen: a window into a CostPart's Gram matrix.
struct Window {
  std::span<const Dim> dims;
  const float* data = nullptr;
  int64_t stride = 0;  // of the Gram matrix's rows

  int64_t n() const {
    int64_t size = 1;
    for (const Dim& dim : dims) size *= dim.size;
    return size;
  }
  // The window inside that belongs to units i and j of the first dimension.
  Window Inside(int64_t i, int64_t j) const {
    Window inner{.dims = dims.subspan(1), .data = nullptr, .stride = stride};
    const int64_t size = inner.n();
    inner.data = data + i * size * stride + j * size;
    return inner;
  }
};

// The permutations of one group and all groups inside it, for one pair of
// outer units.
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

  // Windows all start with `group`.
  Solution Solve(int group, const std::vector<Window>& windows,
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
  // What pairing unit i of A with unit j of B is worth, all inside at its best.
  CostMatrix PairCosts(int64_t n, const std::vector<Window>& windows,
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

  double PairValue(const std::vector<Window>& windows, int64_t i,
                   int64_t j) const {
    double value = 0;
    for (const Window& window : windows) {
      if (window.dims.size() == 1) value += window.data[i * window.stride + j];
    }
    for (const auto& [group, solution] : SolveInner(windows, i, j)) {
      value += solution.value;
    }
    return value;
  }

  // All groups directly inside, matched for the pair (i, j).
  std::map<int, Solution> SolveInner(const std::vector<Window>& windows,
                                     int64_t i, int64_t j) const {
    std::vector<Window> inside;
    for (const Window& window : windows) {
      if (window.dims.size() > 1) inside.push_back(window.Inside(i, j));
    }
    std::map<int, Solution> solutions;
    for (const auto& component : Components(inside)) {
      SolveComponent(component, solutions);
    }
    return solutions;
  }

  bool IsChain(const Window& window) const {
    for (size_t d = 1; d < window.dims.size(); ++d) {
      const int parent = symmetry_.groups()[window.dims[d].group].parent;
      if (parent != window.dims[d - 1].group) return false;
    }
    return true;
  }

  // Windows that share groups must be solved together.
  static std::vector<std::vector<Window>> Components(
      const std::vector<Window>& windows) {
    std::vector<std::vector<Window>> components;
    std::vector<std::set<int>> groups;
    for (const Window& window : windows) {
      std::vector<Window> merged = {window};
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

  void SolveComponent(const std::vector<Window>& component,
                      std::map<int, Solution>& solutions) const {
    const bool chains =
        std::all_of(component.begin(), component.end(),
                    [&](const Window& window) { return IsChain(window); });
    if (chains) {
      const int group = component[0].dims[0].group;
      solutions[group] = Solve(
          group, component, {.maximize = true, .warm_start = nullptr}, nullptr);
    } else {
      SolveCoupled(component, solutions);
    }
  }

  // Sibling groups that meet in a tensor: coordinate descent among them. Groups
  // deeper inside keep the identity here; they cost freedom, not correctness.
  void SolveCoupled(const std::vector<Window>& windows,
                    std::map<int, Solution>& solutions) const {
    std::map<int, Permutation> found;
    const std::vector<int> order = EvidenceOrder(windows);
    for (int group : order) found[group] = Best(group, windows, found);
    constexpr int kRounds = 8;
    for (int round = 0; round < kRounds; ++round) {
      const auto before = found;
      for (int group : order) {
        Permutation candidate = Best(group, windows, found);
        auto trial = found;
        trial[group] = candidate;
        if (Value(windows, trial) > Value(windows, found)) {
          found = std::move(trial);
        }
      }
      if (found == before) break;
    }
    // The value belongs to the component; it is booked on its first group.
    double value = Value(windows, found);
    for (int group : order) {
      solutions[group] = {
          .value = value, .permutation = found[group], .inner = {}};
      value = 0;
    }
  }

  // Groups that stand alone in some window first: they need no guess of the
  // others.
  static std::vector<int> EvidenceOrder(const std::vector<Window>& windows) {
    std::vector<int> order;
    const auto add = [&](int group) {
      if (std::find(order.begin(), order.end(), group) == order.end()) {
        order.push_back(group);
      }
    };
    for (const Window& window : windows) {
      if (window.dims.size() == 1) add(window.dims[0].group);
    }
    for (const Window& window : windows) {
      for (const Dim& dim : window.dims) add(dim.group);
    }
    return order;
  }

  // The best permutation of `group`, the others as found so far; windows with
  // groups not found yet are left out unless nothing else speaks for it.
  Permutation Best(int group, const std::vector<Window>& windows,
                   const std::map<int, Permutation>& found) const {
    const int64_t n = symmetry_.groups()[group].size;
    std::vector<float> cost(n * n, 0.0f);
    for (const Window& window : windows) AddCosts(group, window, found, cost);
    return SolveAssignment({.data = cost.data(), .n = n, .stride = n},
                           {.maximize = true, .warm_start = nullptr})
        .column_of_row;
  }

  void AddCosts(int group, const Window& window,
                const std::map<int, Permutation>& found,
                std::vector<float>& cost) const {
    for (size_t d = 0; d < window.dims.size(); ++d) {
      if (window.dims[d].group != group) continue;
      if (AllOthersFound(window, d, found)) AddAlong(window, d, found, cost);
    }
  }

  static bool AllOthersFound(const Window& window, size_t dim,
                             const std::map<int, Permutation>& found) {
    for (size_t d = 0; d < window.dims.size(); ++d) {
      if (d != dim && !found.contains(window.dims[d].group)) return false;
    }
    return true;
  }

  // cost[x][y] += sum over the positions of all other dimensions of the entry
  // that pairs x with y there.
  void AddAlong(const Window& window, size_t dim,
                const std::map<int, Permutation>& found,
                std::vector<float>& cost) const {
    const int64_t n = window.dims[dim].size;
    ForEachPosition(window, [&](std::span<const int64_t> position) {
      int64_t row = 0, column = 0;
      for (size_t d = 0; d < window.dims.size(); ++d) {
        const int64_t size = window.dims[d].size;
        const int64_t unit =
            d == dim ? 0 : found.at(window.dims[d].group)[position[d]];
        row = row * size + position[d];
        column = column * size + unit;
      }
      const int64_t step = InnerSize(window, dim);
      const float* entries = window.data + row * window.stride + column;
      float* out = cost.data() + position[dim] * n;
      for (int64_t y = 0; y < n; ++y) out[y] += entries[y * step];
    });
  }

  static int64_t InnerSize(const Window& window, size_t dim) {
    int64_t size = 1;
    for (size_t d = dim + 1; d < window.dims.size(); ++d) {
      size *= window.dims[d].size;
    }
    return size;
  }

  template <typename Visit>
  static void ForEachPosition(const Window& window, const Visit& visit) {
    std::vector<int64_t> position(window.dims.size(), 0);
    const int64_t n = window.n();
    for (int64_t i = 0; i < n; ++i) {
      visit(std::span<const int64_t>(position));
      for (size_t d = position.size(); d-- > 0;) {
        if (++position[d] < window.dims[d].size) break;
        position[d] = 0;
      }
    }
  }

  static double Value(const std::vector<Window>& windows,
                      const std::map<int, Permutation>& found) {
    double value = 0;
    for (const Window& window : windows) {
      ForEachPosition(window, [&](std::span<const int64_t> position) {
        int64_t row = 0, column = 0;
        for (size_t d = 0; d < window.dims.size(); ++d) {
          const int64_t size = window.dims[d].size;
          row = row * size + position[d];
          column = column * size + found.at(window.dims[d].group)[position[d]];
        }
        value += window.data[row * window.stride + column];
      });
    }
    return value;
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
  std::vector<Window> windows;
  for (const CostPart& part : parts) {
    windows.push_back(
        {.dims = part.slot.dims, .data = part.gram.data(), .stride = part.n()});
  }
  if (windows.empty()) return;
  const Solver solver(alignment.symmetry(), pool);
  const AssignmentDuals before = std::move(duals);
  const Solution solution = solver.Solve(
      root, windows, {.maximize = true, .warm_start = &before}, &duals);
  Store(root, 0, solution, alignment);
}

}  // namespace rebasin
