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
// or its factors if the matrix would be far larger.
struct CostPart {
  Slot slot;                // the groups with strides of the combined index
  std::vector<float> gram;  // n x n: A's units by B's; may be released
  std::optional<SiblingFactors> factors = {};  // instead of `gram`

  int64_t n() const { return slot.size(); }
  int64_t bytes() const;  // when allocated
  bool allocated() const {
    return factors ? factors->allocated() : !gram.empty();
  }

  void Allocate();  // sets all to zero if not yet allocated
  void Clear();     // sets all to zero, keeps the memory
  void Release();

  // The sum of the costs of pairs (i, columns[i]).
  double Value(std::span<const int64_t> columns) const;
};

// Where the products of one tensor are added: the costs of a part, to which
// several tensors contribute.
struct CostTarget {
  CostPart& part;
  int64_t step = 0;  // the tensor's first step in the factors

  // Adds the products of some steps, of which `begin` is the first. In factors,
  // they replace the previous values of these steps, so differences
  // (GatherSource::subtracted) are not allowed there.
  void Add(const GatherSource& a, const GatherSource& b, int64_t begin,
           ThreadPool& pool,
           GemmOperands operands = GemmOperands::kExact) const;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_COST_PART_H_
