#include "match/descent/siblings.h"

#include <algorithm>
#include <set>

#include "assignment/assignment.h"
#include "match/costs/sibling_kernel.h"

namespace rebasin {
namespace {

using Permutation = std::vector<int32_t>;
using Permutations = std::map<int, Permutation>;

// Groups that have a window of their own come first: they do not depend on
// guesses of others.
std::vector<int> EvidenceOrder(std::span<const CostWindow> windows) {
  std::vector<int> order;
  const auto add = [&](int group) {
    if (std::find(order.begin(), order.end(), group) == order.end()) {
      order.push_back(group);
    }
  };
  for (const CostWindow& window : windows) {
    if (window.dims.size() == 1) add(window.dims[0].group);
  }
  for (const CostWindow& window : windows) {
    for (const Dim& dim : window.dims) add(dim.group);
  }
  return order;
}

// The distance between neighbouring units of each dimension in the index over
// all dimensions of the window, or over all except `dim`.
std::vector<int64_t> Strides(const CostWindow& window, size_t dim,
                             bool without) {
  std::vector<int64_t> strides(window.dims.size());
  int64_t stride = 1;
  for (size_t d = window.dims.size(); d-- > 0;) {
    strides[d] = stride;
    if (d != dim || !without) stride *= window.dims[d].size;
  }
  return strides;
}

// The offset of each position of all dimensions except `dim`; with
// permutations, the offset of the units of B at these positions.
std::vector<int64_t> OtherPlaces(const CostWindow& window, size_t dim,
                                 std::span<const int64_t> strides,
                                 const Permutations* found) {
  std::vector<int64_t> places = {0}, next;
  for (size_t d = 0; d < window.dims.size(); ++d) {
    if (d == dim) continue;
    const Permutation* units =
        found ? &found->at(window.dims[d].group) : nullptr;
    next.clear();
    for (const int64_t place : places) {
      for (int64_t x = 0; x < window.dims[d].size; ++x) {
        next.push_back(place + (units ? (*units)[x] : x) * strides[d]);
      }
    }
    std::swap(places, next);
  }
  return places;
}

// The costs of one group's units, summed over all others; rows are padded.
struct UnitCosts {
  int64_t n = 0, width = 0;
  std::vector<float> values;

  explicit UnitCosts(int64_t units)
      : n(units),
        width(SiblingWidth(units)),
        values(static_cast<size_t>(width * width), 0.0f) {}

  double Value(const Permutation& permutation) const {
    double value = 0;
    for (int64_t x = 0; x < n; ++x) value += values[x * width + permutation[x]];
    return value;
  }
};

void AddFromMatrix(const CostWindow& window, size_t dim,
                   const Permutations& found, UnitCosts& costs) {
  const std::vector<int64_t> strides = Strides(window, dim, false);
  const auto rows = OtherPlaces(window, dim, strides, nullptr);
  const auto columns = OtherPlaces(window, dim, strides, &found);
  const int64_t step = strides[dim];
  for (size_t p = 0; p < rows.size(); ++p) {
    for (int64_t x = 0; x < costs.n; ++x) {
      const float* entries =
          window.data + (rows[p] + x * step) * window.stride + columns[p];
      float* out = costs.values.data() + x * costs.width;
      for (int64_t y = 0; y < costs.n; ++y) out[y] += entries[y * step];
    }
  }
}

void AddFromFactors(const CostWindow& window, size_t dim,
                    const Permutations& found, UnitCosts& costs) {
  const SiblingFactors& factors = *window.factors;
  const size_t along = window.chosen + dim;
  const int64_t block = factors.block(along), size = window.dims[dim].size;
  const float* b = factors.b(along) + window.column / size * block;
  std::vector<const float*> blocks;
  for (const int64_t place :
       OtherPlaces(window, dim, Strides(window, dim, true), &found)) {
    blocks.push_back(b + place * block);
  }
  AddSiblingProducts({.a = factors.a(along) + window.row / size * block,
                      .b = blocks,
                      .steps = factors.steps(),
                      .rows = costs.width,
                      .columns = costs.width},
                     costs.values.data());
}

class SiblingMatcher {
 public:
  SiblingMatcher(const Symmetry& symmetry, std::span<const CostWindow> windows)
      : symmetry_(symmetry),
        windows_(windows),
        order_(EvidenceOrder(windows)) {}

  SiblingMatch Run() {
    for (int group : order_) Start(group);
    constexpr int kRounds = 8;
    for (int round = 0; round < kRounds; ++round) {
      if (settled_.size() == order_.size()) break;
      for (int group : order_) {
        if (!settled_.contains(group)) Improve(group);
      }
    }
    return {.value = Value(), .order = order_, .permutations = found_};
  }

 private:
  // Starts with the windows whose other groups have been matched.
  void Start(int group) {
    const auto [costs, complete] = CostsOf(group);
    Assignment best = Solve(costs);
    found_[group] = std::move(best.column_of_row);
    settled_.clear();
    if (complete) settled_ = {group};
    Note(group, best.value);
  }

  void Improve(int group) {
    const UnitCosts costs = CostsOf(group).first;
    Assignment best = Solve(costs);
    const double present = costs.Value(found_[group]);
    if (best.value > present) {
      found_[group] = std::move(best.column_of_row);
      settled_.clear();
    }
    settled_.insert(group);
    Note(group, std::max(best.value, present));
  }

  static Assignment Solve(const UnitCosts& costs) {
    return SolveAssignment(
        {.data = costs.values.data(), .n = costs.n, .stride = costs.width},
        {.maximize = true, .warm_start = nullptr});
  }

  // Stores the value of all windows with `group` in the current state.
  void Note(int group, double value) {
    last_ = group;
    last_value_ = value;
  }

  // Returns the costs, and whether all windows could be used.
  std::pair<UnitCosts, bool> CostsOf(int group) const {
    UnitCosts costs(symmetry_.groups()[group].size);
    bool complete = true;
    for (const CostWindow& window : windows_) {
      for (size_t d = 0; d < window.dims.size(); ++d) {
        if (window.dims[d].group != group) continue;
        const bool usable = OthersAreFound(window, d);
        if (usable) AddAlong(window, d, costs);
        complete = complete && usable;
      }
    }
    return {std::move(costs), complete};
  }

  bool OthersAreFound(const CostWindow& window, size_t dim) const {
    for (size_t d = 0; d < window.dims.size(); ++d) {
      if (d != dim && !found_.contains(window.dims[d].group)) return false;
    }
    return true;
  }

  void AddAlong(const CostWindow& window, size_t dim, UnitCosts& costs) const {
    if (window.factors != nullptr) {
      AddFromFactors(window, dim, found_, costs);
    } else {
      AddFromMatrix(window, dim, found_, costs);
    }
  }

  double Value() const {
    double value = last_value_;
    for (const CostWindow& window : windows_) {
      const bool counted =
          std::any_of(window.dims.begin(), window.dims.end(),
                      [&](const Dim& dim) { return dim.group == last_; });
      if (counted) continue;
      const size_t dim = window.dims.size() - 1;
      UnitCosts costs(window.dims[dim].size);
      AddAlong(window, dim, costs);
      value += costs.Value(found_.at(window.dims[dim].group));
    }
    return value;
  }

  const Symmetry& symmetry_;
  std::span<const CostWindow> windows_;
  std::vector<int> order_;
  Permutations found_;
  std::set<int> settled_;  // solved for exactly the current others
  int last_ = kNoGroup;    // the last visited group
  double last_value_ = 0;
};

}  // namespace

SiblingMatch MatchSiblings(const Symmetry& symmetry,
                           std::span<const CostWindow> windows) {
  return SiblingMatcher(symmetry, windows).Run();
}

}  // namespace rebasin
