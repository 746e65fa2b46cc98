#include "match/anneal.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "match/gather.h"
#include "match/sinkhorn.h"
#include "match/tree_solver.h"
#include "tensor/gemm.h"

namespace rebasin {
namespace {

using Matrix = std::vector<float>;

// The groups of a slot name the combined index that a soft matrix acts on.
std::vector<int> GroupsOf(const Slot& slot) {
  std::vector<int> groups;
  for (const Dim& dim : slot.dims) groups.push_back(dim.group);
  return groups;
}

class Annealing {
 public:
  Annealing(const Problem& problem, const AnnealOptions& options,
            ThreadPool& pool)
      : problem_(problem), options_(options), pool_(pool) {
    for (size_t tree = 0; tree < problem.roots().size(); ++tree) {
      costs_.push_back(SoftCosts(problem, static_cast<int>(tree)));
    }
  }

  Alignment Run(const std::vector<int>& order) {
    double temperature = options_.first_temperature, before = 0;
    for (int sweep = 0; sweep < options_.most_sweeps; ++sweep) {
      const double value = Sweep(order, sweep % 2 == 1, temperature);
      const bool still_rising = value > before * (1 + options_.hold_gain);
      if (!still_rising) temperature *= options_.cooling;
      if (temperature < options_.last_temperature) break;
      before = std::max(before, value);
    }
    Alignment alignment(problem_.symmetry());
    for (TreeCosts& costs : costs_) {
      AssignmentDuals duals;
      SolveTree(costs.root(), costs.parts(), pool_, alignment, duals);
    }
    return alignment;
  }

 private:
  static TreeCosts SoftCosts(const Problem& problem, int tree) {
    return TreeCosts(problem, tree, TreeCosts::Quadratic::kAsLinear);
  }

  // Returns the expected objective, each term counted once for each of its
  // trees.
  double Sweep(const std::vector<int>& order, bool backwards,
               double temperature) {
    double value = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const int tree = order[backwards ? order.size() - 1 - i : i];
      costs_[tree].Recompute(
          [&](const Occurrence& where, std::span<float> gram) {
            AddSoftGram(where, gram);
          });
      Soften(costs_[tree], temperature);
      value += ExpectedValue(costs_[tree]);
      if (options_.visited) options_.visited();
    }
    return value;
  }

  double ExpectedValue(const TreeCosts& costs) {
    double value = 0;
    for (const CostPart& part : costs.parts()) {
      const Matrix& soft = SoftMatrix(part.slot);
      for (size_t i = 0; i < soft.size(); ++i) {
        value += static_cast<double>(soft[i]) * part.gram[i];
      }
    }
    return value;
  }

  // gram += A B~^T, where B~ is B with every other slot multiplied by its soft
  // matrix. Everything is laid out [contracted][unit], the contracted slots in
  // the order of the term.
  void AddSoftGram(const Occurrence& where, std::span<float> gram) {
    const Term& term = problem_.terms()[where.term];
    const std::vector<int64_t> units = Offsets(term.block.slots[where.slot]);
    const std::vector<int64_t> contracted =
        OffsetsOfOthers(term.block, where.slot);
    const auto n = static_cast<int64_t>(units.size());
    const auto k = static_cast<int64_t>(contracted.size());
    const auto a =
        PackGathered({.data = term.a, .units = units, .steps = contracted});
    Unfold({.data = term.b, .units = units, .steps = contracted});
    Mix(term, where.slot, k, n);
    GemmAdd(pool_, {.m = n, .n = n, .k = k}, a,
            PackFrom({mixed_[0].data(), n, /*transposed=*/true}), gram.data(),
            n);
  }

  // mixed_[0] = [contracted][unit]
  void Unfold(const GatherSource& source) {
    const auto n = static_cast<int64_t>(source.units.size());
    const auto k = static_cast<int64_t>(source.steps.size());
    mixed_[0].resize(k * n);
    const GemmPacker pack = PackGathered(source);
    pool_.For(k, [&](int64_t s) {
      pack({.unit = 0, .count = n, .step = s, .steps = 1}, n,
           mixed_[0].data() + s * n);
    });
  }

  // Multiplies mixed_[0], laid out [slot 0][slot 1]...[unit], by the soft
  // matrix of each permutable slot. Two buffers take turns.
  void Mix(const Term& term, int unit, int64_t k, int64_t n) {
    int64_t outer = 1;
    for (size_t s = 0; s < term.block.slots.size(); ++s) {
      if (static_cast<int>(s) == unit) continue;
      const Slot& slot = term.block.slots[s];
      if (slot.root != kNoGroup) {
        MixSlot(slot, outer, k / outer / slot.size() * n);
        std::swap(mixed_[0], mixed_[1]);
      }
      outer *= slot.size();
    }
  }

  // mixed_[1][o][i][rest] = sum over j of soft[i][j] * mixed_[0][o][j][rest]
  void MixSlot(const Slot& slot, int64_t outer, int64_t rest) {
    const Matrix& soft = SoftMatrix(slot);
    const int64_t size = slot.size();
    mixed_[1].assign(mixed_[0].size(), 0.0f);
    for (int64_t o = 0; o < outer; ++o) {
      GemmAdd(pool_, {.m = size, .n = rest, .k = size},
              PackFrom({soft.data(), size, false}),
              PackFrom({mixed_[0].data() + o * size * rest, rest, true}),
              mixed_[1].data() + o * size * rest, rest);
    }
  }

  const Matrix& SoftMatrix(const Slot& slot) {
    Matrix& soft = soft_[GroupsOf(slot)];
    if (soft.empty()) {
      const int64_t n = slot.size();
      soft.assign(n * n, 1.0f / static_cast<float>(n));
    }
    return soft;
  }

  void Soften(const TreeCosts& costs, double temperature) {
    const bool nested = std::any_of(
        costs.parts().begin(), costs.parts().end(),
        [](const CostPart& part) { return part.slot.dims.size() > 1; });
    if (!nested) {
      const CostPart& part = costs.parts()[0];
      soft_[GroupsOf(part.slot)] = SoftenMatrix(
          {.data = part.gram.data(), .n = part.n(), .stride = part.n()},
          temperature);
      return;
    }
    SoftenTree(costs, temperature);
  }

  Matrix SoftenMatrix(const CostMatrix& cost, double temperature) const {
    const double scale = StandardDeviation(cost) * temperature;
    // Costs that are all equal say nothing.
    if (scale <= 0) return Matrix(cost.n * cost.n, 1.0f / cost.n);
    return Sinkhorn(cost, scale, options_.sinkhorn_iterations);
  }

  // Leaves up: for each pair of outer units the inside is softened as one
  // combined index, and its expected value is the outer cost; the soft matrix
  // of the combined index is the product of the two.
  void SoftenTree(const TreeCosts& costs, double temperature) {
    const int64_t n = problem_.symmetry()->groups()[costs.root()].size;
    Matrix outer_cost(n * n, 0.0f);
    std::map<const CostPart*, std::vector<Matrix>> inside;
    for (const CostPart& part : costs.parts()) {
      inside[&part] = SoftenInside(part, n, temperature, outer_cost);
    }
    const Matrix outer = SoftenMatrix(
        {.data = outer_cost.data(), .n = n, .stride = n}, temperature);
    for (const CostPart& part : costs.parts()) {
      soft_[GroupsOf(part.slot)] = Product(outer, inside[&part], n, part.n());
    }
  }

  std::vector<Matrix> SoftenInside(const CostPart& part, int64_t n,
                                   double temperature,
                                   Matrix& outer_cost) const {
    const int64_t size = part.n() / n;
    std::vector<Matrix> inside(n * n);
    pool_.For(n * n, [&](int64_t pair) {
      const int64_t i = pair / n, j = pair % n;
      const CostMatrix window{
          .data = part.gram.data() + i * size * part.n() + j * size,
          .n = size,
          .stride = part.n()};
      inside[pair] =
          size == 1 ? Matrix{1.0f} : SoftenMatrix(window, temperature);
      double value = 0;
      for (int64_t x = 0; x < size; ++x) {
        for (int64_t y = 0; y < size; ++y) {
          value += static_cast<double>(inside[pair][x * size + y]) *
                   window.data[x * window.stride + y];
        }
      }
      outer_cost[pair] += static_cast<float>(value);
    });
    return inside;
  }

  static Matrix Product(const Matrix& outer, const std::vector<Matrix>& inside,
                        int64_t n, int64_t total) {
    const int64_t size = total / n;
    Matrix product(total * total);
    for (int64_t i = 0; i < total; ++i) {
      for (int64_t j = 0; j < total; ++j) {
        const int64_t pair = i / size * n + j / size;
        product[i * total + j] =
            outer[pair] * inside[pair][i % size * size + j % size];
      }
    }
    return product;
  }

  const Problem& problem_;
  const AnnealOptions& options_;
  ThreadPool& pool_;
  std::vector<TreeCosts> costs_;
  std::map<std::vector<int>, Matrix> soft_;
  Matrix mixed_[2];
};

}  // namespace

Alignment Anneal(const Problem& problem, const std::vector<int>& order,
                 const AnnealOptions& options, ThreadPool& pool) {
  return Annealing(problem, options, pool).Run(order);
}

}  // namespace rebasin
