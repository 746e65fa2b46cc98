// Blocks of tensors multiplied by soft matrices.

#ifndef REBASIN_MATCH_SOFT_SOFT_BLOCK_H_
#define REBASIN_MATCH_SOFT_SOFT_BLOCK_H_

#include <span>
#include <vector>

#include "base/parallel.h"
#include "match/costs/cost_part.h"
#include "symmetry/layout.h"

namespace rebasin {

// A block wherever it lies: `data` is its first element, whatever the block's
// own offset says.
struct BlockView {
  const float* data = nullptr;
  Block block;
};

// A block in memory of its own, its slots in any order.
struct SoftBlock {
  Block block;
  std::vector<float> values;

  BlockView view() const { return {values.data(), block}; }
};

// How many slots of a block can be permuted; they are the first ones.
int PermutableSlots(const Block& block);

// The block with one slot multiplied by a matrix, to[i] = sum of m[i][j]
// from[j] along the slot.
SoftBlock Mix(const BlockView& from, int slot, std::span<const float> matrix,
              ThreadPool& pool);

// The block with one slot multiplied by the matrix 1/n.
SoftBlock Averaged(const BlockView& from, int slot);

// Adds to the cost of each i and j the inner product of what a has at i and b
// at j of the slot.
void AddGram(const BlockView& a, const BlockView& b, int slot, ThreadPool& pool,
             const CostTarget& costs);

// Copies the values to where `block` says, relative to `to`.
void CopyBlock(const BlockView& from, const Block& block, float* to);

}  // namespace rebasin

#endif  // REBASIN_MATCH_SOFT_SOFT_BLOCK_H_
