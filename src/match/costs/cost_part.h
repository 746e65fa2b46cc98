// The costs of matching the units of one combined index.

#ifndef REBASIN_MATCH_COSTS_COST_PART_H_
#define REBASIN_MATCH_COSTS_COST_PART_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "match/costs/gather.h"
#include "match/costs/sibling_factors.h"
#include "symmetry/layout.h"

namespace rebasin {

// Costs over the combined index of `groups` (outer first, row-major): a matrix,
// or its factors where it would be far larger than they are.
struct CostPart {
  Slot slot;                // the groups with strides of the combined index
  std::vector<float> gram;  // n x n: A's units by B's; empty while released
  std::optional<SiblingFactors> factors = {};  // in the place of `gram`

  int64_t n() const { return slot.size(); }
  int64_t bytes() const;  // when allocated
  bool allocated() const {
    return factors ? factors->allocated() : !gram.empty();
  }

  void Allocate();  // all zero, unless it is allocated already
  void Clear();     // all zero; the memory is kept
  void Release();

  // The sum of the costs of pairing each i with columns[i].
  double Value(std::span<const int64_t> columns) const;
};

// Where the products of one tensor go: the costs of a part, to which several
// tensors add up.
struct CostTarget {
  CostPart& part;
  int64_t step = 0;  // the first that is the tensor's own, among the factors

  // Adds the products of some steps, `begin` being the number of steps before
  // them. Factors replace what they had at these steps, so that differences
  // (GatherSource::subtracted) must not be given to them.
  void Add(const GatherSource& a, const GatherSource& b, int64_t begin,
           ThreadPool& pool) const;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_COST_PART_H_
