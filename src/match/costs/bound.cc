#include "match/costs/bound.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "tensor/inner_product.h"

namespace rebasin {
namespace {

// Units of a task; neighbours share cache lines.
constexpr int64_t kUnitsPerTask = 64;

template <typename Task>
void ForUnitRanges(int64_t n, ThreadPool& pool, const Task& task) {
  pool.For((n + kUnitsPerTask - 1) / kUnitsPerTask, [&](int64_t t) {
    task(t * kUnitsPerTask, std::min(n, (t + 1) * kUnitsPerTask));
  });
}

std::vector<int64_t> EveryNth(const std::vector<int64_t>& values, int64_t n) {
  std::vector<int64_t> chosen;
  chosen.reserve(values.size() / n + 1);
  for (size_t i = 0; i < values.size(); i += n) chosen.push_back(values[i]);
  return chosen;
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

  // Adds the products at the offsets of runs of `length` steps each.
  void Add(std::span<const int64_t> a, std::span<const int64_t> b,
           int64_t length, ThreadPool& pool) {
    ForUnitRanges(
        static_cast<int64_t>(units_.size()), pool,
        [&](int64_t begin, int64_t end) { AddRuns(a, b, length, begin, end); });
  }

  TermBound Finish() {
    for (double& square : sums_.norm_a) square = std::sqrt(square);
    for (double& square : sums_.norm_b) square = std::sqrt(square);
    return std::move(sums_);
  }

 private:
  // Processes a few runs for all units of the range, then the next few, because
  // adjacent units share cache lines. A unit of A is processed together with
  // its unit of B, so that each is read once.
  void AddRuns(std::span<const int64_t> a, std::span<const int64_t> b,
               int64_t length, int64_t begin, int64_t end) {
    constexpr size_t kSteps = 128;
    const size_t together = std::max<size_t>(1, kSteps / length);
    for (size_t r = 0; r < a.size(); r += together) {
      const size_t count = std::min(together, a.size() - r);
      for (int64_t u = begin; u < end; ++u) {
        const int32_t chosen = permutation_[u];
        const Moments sum =
            MeasureRuns({.a = term_.a + units_[u],
                         .b = term_.b + units_[chosen],
                         .a_at = a.subspan(r, count),
                         .b_at = b.subspan(r, count),
                         .length = static_cast<size_t>(length)});
        sums_.norm_a[u] += sum.aa;
        sums_.norm_b[chosen] += sum.bb;
        sums_.chosen[u] += sum.ab;
      }
    }
  }

  const Term& term_;
  const std::vector<int64_t> units_;
  const std::span<const int32_t> permutation_;
  TermBound sums_;
};

// The duals u_i = gram[i][p(i)] - v[p(i)] + chosen_i are tight along the
// permutation. They are feasible if no other entry can exceed them.
bool RowHolds(std::span<const float> row, int32_t chosen_column, int64_t i,
              std::span<const double> v, std::span<const TermBound> bounds) {
  double dual = row[chosen_column] - v[chosen_column];
  for (const TermBound& bound : bounds) dual += bound.chosen[i];
  // Rounding errors of float products are far smaller.
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
  const int64_t run = index.run();
  const int64_t most = std::max(run, kMaxContracted / run * run);
  for (int64_t begin = 0; begin < index.size(); begin += most) {
    index.Fill(begin, std::min(most, index.size() - begin));
    sums.Add(EveryNth(index.a, run), EveryNth(index.b, run), run, pool);
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
