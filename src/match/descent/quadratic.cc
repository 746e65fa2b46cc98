#include "match/descent/quadratic.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "match/descent/tree_solver.h"
#include "tensor/gemm.h"

namespace rebasin {
namespace {

using Matrix = std::vector<float>;

double Dot(const Matrix& x, const Matrix& y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    sum += static_cast<double>(x[i]) * y[i];
  }
  return sum;
}

// One n x n slice of a quadratic term: contributes <a, P b P^T>.
struct Slice {
  Matrix a, b;
};

// f(P) = <linear, P> + sum over slices of <a, P b P^T>
class QuadraticObjective {
 public:
  QuadraticObjective(int64_t n, Matrix linear, std::vector<Slice> slices,
                     ThreadPool& pool)
      : n_(n),
        linear_(std::move(linear)),
        slices_(std::move(slices)),
        pool_(pool) {}

  // linear + sum of a P b^T + a^T P b
  Matrix Gradient(const Matrix& p) const {
    Matrix gradient = linear_;
    for (const Slice& slice : slices_) {
      AddProduct(Product(slice.a, true, p), slice.b, false, gradient);
      AddProduct(Product(slice.a, false, p), slice.b, true, gradient);
    }
    return gradient;
  }

  // The quadratic part of f.
  double Curvature(const Matrix& d) const {
    double sum = 0;
    for (const Slice& slice : slices_) {
      Matrix moved(n_ * n_, 0.0f);
      AddProduct(Product(d, false, slice.b), d, true, moved);
      sum += Dot(slice.a, moved);
    }
    return sum;
  }

  double Value(const Matrix& p) const { return Dot(linear_, p) + Curvature(p); }

 private:
  // x y, or x^T y
  Matrix Product(const Matrix& x, bool x_transposed, const Matrix& y) const {
    Matrix out(n_ * n_, 0.0f);
    Add(x, x_transposed, y, false, out);
    return out;
  }

  // out += x y, or x y^T
  void AddProduct(const Matrix& x, const Matrix& y, bool y_transposed,
                  Matrix& out) const {
    Add(x, false, y, y_transposed, out);
  }

  void Add(const Matrix& x, bool x_transposed, const Matrix& y,
           bool y_transposed, Matrix& out) const {
    // As the right operand, a matrix is packed by columns.
    GemmAdd(pool_, {.m = n_, .n = n_, .k = n_},
            PackFrom({x.data(), n_, x_transposed}),
            PackFrom({y.data(), n_, !y_transposed}), out.data(), n_);
  }

  int64_t n_;
  Matrix linear_;
  std::vector<Slice> slices_;
  ThreadPool& pool_;
};

Matrix ToMatrix(std::span<const int32_t> permutation) {
  const size_t n = permutation.size();
  Matrix matrix(n * n, 0.0f);
  for (size_t i = 0; i < n; ++i) matrix[i * n + permutation[i]] = 1;
  return matrix;
}

std::vector<int32_t> Project(const Matrix& p, int64_t n) {
  return SolveAssignment({.data = p.data(), .n = n, .stride = n},
                         {.maximize = true, .warm_start = nullptr})
      .column_of_row;
}

// The best step in [0, 1] along d, where f(p + t d) = f(p) + t s + t^2 c.
double BestStep(double slope, double curvature) {
  if (curvature < 0) return std::clamp(-slope / (2 * curvature), 0.0, 1.0);
  return slope + curvature > 0 ? 1 : 0;
}

std::vector<int32_t> FrankWolfe(const QuadraticObjective& objective, Matrix p,
                                int64_t n) {
  constexpr int kSteps = 40;
  constexpr double kSmallestStep = 1e-4;
  for (int step = 0; step < kSteps; ++step) {
    const Matrix gradient = objective.Gradient(p);
    Matrix d = ToMatrix(Project(gradient, n));
    for (size_t i = 0; i < d.size(); ++i) d[i] -= p[i];
    const double t = BestStep(Dot(gradient, d), objective.Curvature(d));
    if (t < kSmallestStep) break;
    for (size_t i = 0; i < p.size(); ++i) {
      p[i] += static_cast<float>(t) * d[i];
    }
  }
  return Project(p, n);
}

// Copies the elements at `rows_and_columns` from `data` on.
void CopySlice(const Elements& data,
               std::span<const std::vector<int64_t>> rows_and_columns,
               Matrix& slice) {
  data.Visit([&](const auto* from) {
    auto to = slice.begin();
    for (const int64_t row : rows_and_columns[0]) {
      for (const int64_t column : rows_and_columns[1]) {
        *to++ = AsFloat(from[row + column]);
      }
    }
  });
}

// Adds all n x n slices of a term in which the root has exactly two slots; the
// other slots are permuted by `alignment`.
void AddSlices(const Term& term, int root, const Alignment& alignment,
               std::vector<Slice>& slices) {
  std::vector<std::vector<int64_t>> twice, a_rest, b_rest;
  for (const Slot& slot : term.block.slots) {
    if (slot.root == root) {
      twice.push_back(Offsets(slot));
    } else {
      a_rest.push_back(Offsets(slot));
      b_rest.push_back(Offsets(slot, alignment));
    }
  }
  assert(twice.size() == 2);
  const size_t n = twice[0].size();
  std::vector<size_t> at(a_rest.size(), 0);
  while (true) {
    int64_t a_offset = 0, b_offset = 0;
    for (size_t s = 0; s < at.size(); ++s) {
      a_offset += a_rest[s][at[s]];
      b_offset += b_rest[s][at[s]];
    }
    Slice slice{Matrix(n * n), Matrix(n * n)};
    CopySlice(term.a + a_offset, twice, slice.a);
    CopySlice(term.b + b_offset, twice, slice.b);
    slices.push_back(std::move(slice));
    size_t s = at.size();
    while (s > 0 && ++at[s - 1] == a_rest[s - 1].size()) at[--s] = 0;
    if (s == 0) return;
  }
}

bool IsPlain(const Problem& problem, const TreeCosts& costs) {
  for (const CostPart& part : costs.parts()) {
    if (part.slot.dims.size() > 1) return false;
  }
  for (int t : costs.quadratic_terms()) {
    int slots = 0;
    for (const Slot& slot : problem.terms()[t].block.slots) {
      if (slot.root != costs.root()) continue;
      if (slot.dims.size() > 1 || ++slots > 2) return false;
    }
  }
  return true;
}

QuadraticObjective MakeObjective(const Problem& problem, const TreeCosts& costs,
                                 const Alignment& alignment, ThreadPool& pool) {
  const int64_t n = problem.symmetry()->groups()[costs.root()].size;
  Matrix linear(n * n, 0.0f);
  for (const CostPart& part : costs.parts()) {
    for (size_t i = 0; i < linear.size(); ++i) linear[i] += part.gram[i];
  }
  std::vector<Slice> slices;
  for (int t : costs.quadratic_terms()) {
    AddSlices(problem.terms()[t], costs.root(), alignment, slices);
  }
  return {n, std::move(linear), std::move(slices), pool};
}

}  // namespace

Alignment ProposeQuadratic(const Problem& problem, const TreeCosts& costs,
                           const Alignment& alignment, ThreadPool& pool) {
  Alignment proposal = alignment;
  if (!IsPlain(problem, costs)) {
    AssignmentDuals duals;
    SolveTree(costs.root(), costs.parts(), pool, proposal, duals);
    return proposal;
  }
  const auto objective = MakeObjective(problem, costs, alignment, pool);
  const auto current = alignment.permutation(costs.root());
  const auto n = static_cast<int64_t>(current.size());
  // From the current permutation, and from the barycentre.
  const auto from_here = FrankWolfe(objective, ToMatrix(current), n);
  const Matrix middle(n * n, 1.0f / static_cast<float>(n));
  const auto from_middle = FrankWolfe(objective, middle, n);
  const bool middle_wins = objective.Value(ToMatrix(from_middle)) >
                           objective.Value(ToMatrix(from_here));
  const auto& best = middle_wins ? from_middle : from_here;
  std::copy(best.begin(), best.end(),
            proposal.mutable_permutation(costs.root()).begin());
  return proposal;
}

}  // namespace rebasin
