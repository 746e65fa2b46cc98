// Blocks of tensors multiplied by soft matrices.

#ifndef REBASIN_MATCH_SOFT_SOFT_BLOCK_H_
#define REBASIN_MATCH_SOFT_SOFT_BLOCK_H_

#include <span>
#include <vector>

#include "base/parallel.h"
#include "match/costs/cost_part.h"
#include "symmetry/layout.h"
#include "tensor/elements.h"

namespace rebasin {

// A block at any address: `data` is its first element, and the block's own
// offset is ignored.
struct BlockView {
  Elements data;
  Block block;
};

// A block that owns its elements, with slots in any order.
struct SoftBlock {
  Block block;
  std::vector<float> values;

  BlockView view() const { return {values.data(), block}; }
};

// The number of permutable slots of a block; they come first.
int PermutableSlots(const Block& block);

// Returns the block with one slot multiplied by a matrix: to[i] = sum over j of
// matrix[i][j] from[j] along the slot.
SoftBlock Mix(const BlockView& from, int slot, std::span<const float> matrix,
              ThreadPool& pool);

// Returns the block with one slot multiplied by the matrix 1/n.
SoftBlock Averaged(const BlockView& from, int slot);

// Adds to the cost of each (i, j) the inner product of a at i and b at j of the
// slot.
void AddGram(const BlockView& a, const BlockView& b, int slot, ThreadPool& pool,
             const CostTarget& costs);

// Copies the elements to the positions of `block`, relative to `to`.
void CopyBlock(const BlockView& from, const Block& block, float* to);

}  // namespace rebasin

#endif  // REBASIN_MATCH_SOFT_SOFT_BLOCK_H_
