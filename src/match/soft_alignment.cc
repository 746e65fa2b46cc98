#include "match/soft_alignment.h"

#include <algorithm>

#include "match/sinkhorn.h"

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

// Goes on from `potentials` if there are any.
Matrix SoftenMatrix(const CostMatrix& cost, const Softness& softness,
                    std::vector<float> start, std::vector<float>* potentials) {
  const double scale = StandardDeviation(cost) * softness.temperature;
  // Costs that are all equal say nothing.
  if (scale <= 0) return Barycentre(cost.n);
  Matrix matrix = Sinkhorn(cost, scale, softness.iterations, start);
  if (potentials != nullptr) *potentials = std::move(start);
  return matrix;
}

// For each pair of outer units the inside of the combined index, softened; adds
// its expected value to the outer cost of the pair.
std::vector<Matrix> SoftenInside(const CostPart& part, int64_t n,
                                 const Softness& softness, ThreadPool& pool,
                                 Matrix& outer_cost) {
  const int64_t size = part.n() / n;
  std::vector<Matrix> inside(n * n);
  pool.For(n * n, [&](int64_t pair) {
    const int64_t i = pair / n, j = pair % n;
    const CostMatrix window{
        .data = part.gram.data() + i * size * part.n() + j * size,
        .n = size,
        .stride = part.n()};
    inside[pair] =
        size == 1 ? Matrix{1.0f} : SoftenMatrix(window, softness, {}, nullptr);
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

Matrix Product(const Matrix& outer, const std::vector<Matrix>& inside,
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

// Of the outermost group.
int64_t RootSize(const TreeCosts& costs) {
  return costs.parts()[0].slot.dims[0].size;
}

}  // namespace

const Matrix& SoftAlignment::Of(const Slot& slot) {
  Matrix& matrix = matrices_[GroupsOf(slot)];
  if (matrix.empty()) matrix = Barycentre(slot.size());
  return matrix;
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

// Leaves up: for each pair of outer units the inside is softened as one
// combined index, and its expected value is the outer cost; the soft matrix of
// the combined index is the product of the two.
void SoftAlignment::SoftenTree(const TreeCosts& costs, const Softness& softness,
                               ThreadPool& pool) {
  const int64_t n = RootSize(costs);
  Matrix outer_cost(n * n, 0.0f);
  std::map<const CostPart*, std::vector<Matrix>> inside;
  for (const CostPart& part : costs.parts()) {
    inside[&part] = SoftenInside(part, n, softness, pool, outer_cost);
  }
  const Matrix outer = SoftenRoot(
      {.data = outer_cost.data(), .n = n, .stride = n}, costs.root(), softness);
  for (const CostPart& part : costs.parts()) {
    matrices_[GroupsOf(part.slot)] = Product(outer, inside[&part], n, part.n());
  }
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
    const Matrix& soft = Of(part.slot);
    for (size_t i = 0; i < soft.size(); ++i) {
      value += static_cast<double>(soft[i]) * part.gram[i];
    }
  }
  return value;
}

}  // namespace rebasin
