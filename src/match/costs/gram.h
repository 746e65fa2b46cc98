// Gram matrices of a term: the costs of matching the units of one slot, with
// all other slots of the term contracted.
//
//   gram[i][j] += sum over k of A[i, k] * B[j, unit at k]
//
// B is permuted while it is packed for the matrix product, not as a whole.

#ifndef REBASIN_MATCH_COSTS_GRAM_H_
#define REBASIN_MATCH_COSTS_GRAM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "match/costs/contraction.h"
#include "match/costs/cost_part.h"
#include "match/problem.h"

namespace rebasin {

class GramBuilder {
 public:
  explicit GramBuilder(ThreadPool& pool) : pool_(pool) {}

  // Adds the products of `term` along slot `slot` to `costs`, which must have
  // the slot's groups. `contractions` has one entry for every other slot of the
  // term, in order; they must not contain differences if the costs are factors.
  void Accumulate(const Term& term, int slot,
                  std::span<const Contraction> contractions,
                  const CostTarget& costs);

  double flops() const { return flops_; }
  double seconds() const { return seconds_; }  // spent in products and packing

 private:
  ThreadPool& pool_;
  double flops_ = 0;
  double seconds_ = 0;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_GRAM_H_
