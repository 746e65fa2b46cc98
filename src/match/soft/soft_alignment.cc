#include "match/soft/soft_alignment.h"

#include <algorithm>
#include <utility>

#include "match/soft/sinkhorn.h"

namespace rebasin {
namespace {

using Matrix = SoftAlignment::Matrix;

std::vector<int> GroupsOf(const Slot& slot) {
  std::vector<int> groups;
  for (const Dim& dim : slot.dims) groups.push_back(dim.group);
  return groups;
}

Matrix Barycentre(int64_t n) {
  return Matrix(n * n, 1.0f / static_cast<float>(n));
}

// Continues from `potentials` if they are not null.
Matrix SoftenMatrix(const CostMatrix& cost, const Softness& softness,
                    std::vector<float> start, std::vector<float>* potentials) {
  const double scale = StandardDeviation(cost) * softness.temperature;
  // Costs that are all equal carry no information.
  if (scale <= 0) return Barycentre(cost.n);
  Matrix matrix = Sinkhorn(cost, scale, softness.iterations, start);
  if (potentials != nullptr) *potentials = std::move(start);
  return matrix;
}

// Softens the inner part of the combined index for each pair of outer units,
// and adds its expected value to the outer cost of the pair.
Matrix SoftenInside(const CostPart& part, int64_t n, const Softness& softness,
                    ThreadPool& pool, Matrix& outer_cost) {
  const int64_t size = part.n() / n;
  Matrix inside(part.n() * part.n());
  pool.For(n * n, [&](int64_t pair) {
    const int64_t i = pair / n, j = pair % n;
    const CostMatrix window{
        .data = part.gram.data() + i * size * part.n() + j * size,
        .n = size,
        .stride = part.n()};
    const Matrix soft =
        size == 1 ? Matrix{1.0f} : SoftenMatrix(window, softness, {}, nullptr);
    double value = 0;
    for (int64_t x = 0; x < size; ++x) {
      for (int64_t y = 0; y < size; ++y) {
        value += static_cast<double>(soft[x * size + y]) *
                 window.data[x * window.stride + y];
      }
    }
    std::copy(soft.begin(), soft.end(), inside.begin() + pair * size * size);
    outer_cost[pair] += static_cast<float>(value);
  });
  return inside;
}

Matrix Product(const Matrix& outer, const Matrix& inside, int64_t n,
               int64_t total) {
  const int64_t size = total / n;
  Matrix product(total * total);
  for (int64_t i = 0; i < total; ++i) {
    for (int64_t j = 0; j < total; ++j) {
      const int64_t pair = i / size * n + j / size;
      product[i * total + j] =
          outer[pair] * inside[(pair * size + i % size) * size + j % size];
    }
  }
  return product;
}

// The size of the outermost group.
int64_t RootSize(const TreeCosts& costs) {
  return costs.parts()[0].slot.dims[0].size;
}

}  // namespace

const Matrix& SoftAlignment::Of(const Slot& slot) {
  Matrix& matrix = matrices_[GroupsOf(slot)];
  if (matrix.empty()) matrix = Barycentre(slot.size());
  return matrix;
}

SoftBlock SoftAlignment::Mixed(const BlockView& from, int slot,
                               ThreadPool& pool) {
  const Slot& along = from.block.slots[slot];
  const auto tree = siblings_.find(along.root);
  if (tree != siblings_.end() && tree->second.Meet(along)) {
    return tree->second.Mix(from, slot, pool);
  }
  // It is not yet known whether siblings share one matrix.
  constexpr size_t kFewest = 3;
  if (along.dims.size() >= kFewest && !matrices_.contains(GroupsOf(along))) {
    return Averaged(from, slot);
  }
  return Mix(from, slot, Of(along), pool);
}

void SoftAlignment::Soften(const TreeCosts& costs, const Softness& softness,
                           ThreadPool& pool) {
  const bool nested = std::any_of(
      costs.parts().begin(), costs.parts().end(),
      [](const CostPart& part) { return part.slot.dims.size() > 1; });
  if (nested) return SoftenTree(costs, softness, pool);
  const CostPart& part = costs.parts()[0];
  matrices_[GroupsOf(part.slot)] =
      SoftenRoot({.data = part.gram.data(), .n = part.n(), .stride = part.n()},
                 costs.root(), softness);
}

void SoftAlignment::Set(const Slot& slot, Matrix matrix) {
  matrices_[GroupsOf(slot)] = std::move(matrix);
}

// From the leaves up: for each pair of outer units, the inner part is softened
// as one combined index, and its expected value is the outer cost. The soft
// matrix of the combined index is the product of the two. Groups that meet
// siblings in a part with factors have one matrix for all parts.
void SoftAlignment::SoftenTree(const TreeCosts& costs, const Softness& softness,
                               ThreadPool& pool) {
  const int64_t n = RootSize(costs);
  Matrix outer_cost(n * n, 0.0f);
  SoftSiblings& siblings = siblings_[costs.root()];
  siblings.Add(costs.parts());
  std::map<const CostPart*, Matrix> inside;
  for (const CostPart& part : costs.parts()) {
    if (part.factors || siblings.IsOne(part.slot)) continue;
    inside[&part] = SoftenInside(part, n, softness, pool, outer_cost);
  }
  const auto soften = [&](const CostMatrix& cost) {
    return SoftenMatrix(cost, softness, {}, nullptr);
  };
  siblings.Soften(costs.parts(), soften, pool, outer_cost);
  const Matrix outer = SoftenRoot(
      {.data = outer_cost.data(), .n = n, .stride = n}, costs.root(), softness);
  for (const CostPart& part : costs.parts()) {
    if (part.factors) continue;
    const Matrix& within = siblings.IsOne(part.slot)
                               ? siblings.Inside(part.slot.dims[1].group)
                               : inside[&part];
    matrices_[GroupsOf(part.slot)] = Product(outer, within, n, part.n());
  }
  siblings.SetOuter(outer);
}

Matrix SoftAlignment::SoftenRoot(const CostMatrix& cost, int root,
                                 const Softness& softness) {
  if (!softness.goes_on) return SoftenMatrix(cost, softness, {}, nullptr);
  std::vector<float>& potentials = potentials_[root];
  return SoftenMatrix(cost, softness, potentials, &potentials);
}

double SoftAlignment::ExpectedValue(const TreeCosts& costs) {
  double value = 0;
  for (const CostPart& part : costs.parts()) {
    if (part.factors) {
      value += siblings_.at(costs.root()).ExpectedValue(part);
      continue;
    }
    const Matrix& soft = Of(part.slot);
    for (size_t i = 0; i < soft.size(); ++i) {
      value += static_cast<double>(soft[i]) * part.gram[i];
    }
  }
  return value;
}

}  // namespace rebasin
