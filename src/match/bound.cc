#include "match/bound.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace rebasin {
namespace {

// Units a task looks at together: neighbours share cache lines.
constexpr int64_t kUnitsPerTask = 64;

template <typename Task>
void ForUnitRanges(int64_t n, ThreadPool& pool, const Task& task) {
  pool.For((n + kUnitsPerTask - 1) / kUnitsPerTask, [&](int64_t t) {
    task(t * kUnitsPerTask, std::min(n, (t + 1) * kUnitsPerTask));
  });
}

class BoundSums {
 public:
  BoundSums(const Term& term, int slot, std::span<const int32_t> permutation)
      : term_(term),
        units_(Offsets(term.block.slots[slot])),
        permutation_(permutation) {
    const size_t n = units_.size();
    sums_ = {std::vector<double>(n), std::vector<double>(n),
             std::vector<double>(n)};
  }

  void Add(std::span<const int64_t> a, std::span<const int64_t> b,
           ThreadPool& pool) {
    ForUnitRanges(static_cast<int64_t>(units_.size()), pool,
                  [&](int64_t begin, int64_t end) {
                    for (size_t s = 0; s < a.size(); ++s) {
                      AddStep(term_.a + a[s], term_.b + b[s], begin, end);
                    }
                  });
  }

  TermBound Finish() {
    for (double& square : sums_.norm_a) square = std::sqrt(square);
    for (double& square : sums_.norm_b) square = std::sqrt(square);
    return std::move(sums_);
  }

 private:
  void AddStep(const float* a, const float* b, int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const double x = a[units_[u]], y = b[units_[u]];
      sums_.norm_a[u] += x * x;
      sums_.norm_b[u] += y * y;
      sums_.chosen[u] += x * b[units_[permutation_[u]]];
    }
  }

  const Term& term_;
  const std::vector<int64_t> units_;
  const std::span<const int32_t> permutation_;
  TermBound sums_;
};

// With u_i = gram[i][p(i)] - v[p(i)] + chosen_i the duals are tight along the
// permutation; they are feasible if no other entry can exceed them.
bool RowHolds(std::span<const float> row, int32_t chosen_column, int64_t i,
              std::span<const double> v, std::span<const TermBound> bounds) {
  double dual = row[chosen_column] - v[chosen_column];
  for (const TermBound& bound : bounds) dual += bound.chosen[i];
  // For sums of float products, rounding is far below this.
  constexpr double kRounding = 1 + 1e-6;
  for (size_t j = 0; j < row.size(); ++j) {
    if (static_cast<int32_t>(j) == chosen_column) continue;
    double most = row[j] - v[j];
    for (const TermBound& bound : bounds) {
      most += kRounding * bound.norm_a[i] * bound.norm_b[j];
    }
    if (most > dual) return false;
  }
  return true;
}

}  // namespace

TermBound BoundTerm(const Term& term, int slot,
                    std::span<const Contraction> contractions,
                    std::span<const int32_t> permutation, ThreadPool& pool) {
  BoundSums sums(term, slot, permutation);
  ContractionIndex index(term.block, slot, contractions);
  for (int64_t begin = 0; begin < index.size(); begin += kMostContracted) {
    index.Fill(begin, std::min(kMostContracted, index.size() - begin));
    sums.Add(index.a, index.b, pool);
  }
  return sums.Finish();
}

bool StaysOptimal(std::span<const float> gram,
                  std::span<const int32_t> permutation,
                  std::span<const double> column_duals,
                  std::span<const TermBound> bounds, ThreadPool& pool) {
  const size_t n = permutation.size();
  std::atomic<bool> holds = true;
  ForUnitRanges(static_cast<int64_t>(n), pool, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end && holds; ++i) {
      if (!RowHolds(gram.subspan(i * n, n), permutation[i], i, column_duals,
                    bounds)) {
        holds = false;
      }
    }
  });
  return holds;
}

}  // namespace rebasin
