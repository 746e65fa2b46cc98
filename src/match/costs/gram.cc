#include "match/costs/gram.h"

#include <algorithm>
#include <cassert>
#include <chrono>

namespace rebasin {
namespace {

// A term without other slots (a bias) is an outer product, for which the set-up
// of a matrix product would dominate.
void AddOuterProduct(const Term& term, std::span<const int64_t> units,
                     ThreadPool& pool, std::span<float> gram) {
  const size_t n = units.size();
  std::vector<float> as, b;
  for (const int64_t unit : units) {
    as.push_back(term.a[unit]);
    b.push_back(term.b[unit]);
  }
  const auto add_rows = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const float a = as[i];
      float* row = gram.data() + i * n;
      for (size_t j = 0; j < n; ++j) row[j] += a * b[j];
    }
  };
  constexpr size_t kRowsPerTask = 64;
  if (n <= 4 * kRowsPerTask) return add_rows(0, n);
  const size_t tasks = (n + kRowsPerTask - 1) / kRowsPerTask;
  pool.For(static_cast<int64_t>(tasks), [&](int64_t task) {
    const size_t begin = static_cast<size_t>(task) * kRowsPerTask;
    add_rows(begin, std::min(n, begin + kRowsPerTask));
  });
}

}  // namespace

void GramBuilder::Accumulate(const Term& term, int slot,
                             std::span<const Contraction> contractions,
                             const CostTarget& costs) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<int64_t> units = Offsets(term.block.slots[slot]);
  const auto n = static_cast<int64_t>(units.size());
  assert(costs.part.n() == n);
  if (contractions.empty() && !costs.part.factors) {
    return AddOuterProduct(term, units, pool_, costs.part.gram);
  }

  ContractionIndex index(term.block, slot, contractions);
  // Differences of bfloat16 values are no such values.
  const GemmOperands operands =
      index.difference() ? GemmOperands::kExact : term.operands;
  for (int64_t begin = 0; begin < index.size(); begin += kMaxContracted) {
    const int64_t count = std::min(kMaxContracted, index.size() - begin);
    index.Fill(begin, count);
    costs.Add({.data = term.a, .units = units, .steps = index.a},
              {.data = term.b,
               .units = units,
               .steps = index.b,
               .subtracted = index.before},
              begin, pool_, operands);
  }
  if (!costs.part.factors) {
    flops_ +=
        2.0 * static_cast<double>(n * n) * static_cast<double>(index.size());
  }
  seconds_ +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
}

}  // namespace rebasin
