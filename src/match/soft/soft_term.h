// One block of one tensor in one model, with doubly stochastic matrices instead
// of permutations.
//
// Frank-Wolfe moves from a matrix S to (1 - t) S + t P with a permutation P, so
// the product of S with the weights can be updated by permuting alone, without
// a matrix product. For that, the block is stored once for every set of its
// permutable slots, with the soft matrices of those slots applied: four times
// for a dense layer between two groups.

#ifndef REBASIN_MATCH_SOFT_SOFT_TERM_H_
#define REBASIN_MATCH_SOFT_SOFT_TERM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "match/soft/soft_block.h"
#include "rebasin/alignment.h"
#include "symmetry/layout.h"

namespace rebasin {

// The layout of the block as a dense array [slot 0][slot 1]..., with each slot
// row-major over its dimensions.
Block DenseBlock(const Block& block);

class SoftTerm {
 public:
  // A set of permutable slots: bit s means slot s.
  using SlotSet = uint32_t;

  // `data` is the block's first element. Every soft matrix starts as (1 -
  // softness) times the alignment's permutation plus softness times 1/n, the
  // mean of all permutations.
  SoftTerm(const Block& block, const float* data, const Alignment& alignment,
           double softness);

  SlotSet all() const { return static_cast<SlotSet>(softened_.size()) - 1; }
  // The dense block with the soft matrices of `set` applied.
  std::span<const float> Softened(SlotSet set) const { return softened_[set]; }

  // The number of positions of the first slot, and of elements at each.
  int64_t rows() const { return rows_; }
  int64_t row_size() const;

  // If every soft matrix S is replaced by (1 - t) S + t P, with P from the
  // alignment, the block is the sum over k of t^k (1 - t)^(s - k) V_k, where s
  // is the number of permutable slots. Writes rows [begin, begin + count) of
  // V_0, ..., V_s.
  void StepCoefficients(const Alignment& alignment, int64_t begin,
                        int64_t count,
                        std::vector<std::vector<float>>& coefficients) const;

  // Replaces the soft matrices in this way.
  void Step(const Alignment& alignment, double t);

 private:
  using Tables = std::vector<std::vector<int64_t>>;

  // The offset of each index of each slot; slots of `set` are permuted.
  Tables Where(SlotSet set, const Alignment& alignment) const;
  void SoftenSlot(int slot, SlotSet before, const Alignment& alignment,
                  double softness);

  Block block_;  // dense
  int64_t rows_ = 1;
  std::vector<std::vector<float>> softened_;  // by set
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_SOFT_SOFT_TERM_H_
