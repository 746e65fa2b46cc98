// Where the groups of a symmetry lie in a tensor's memory.
//
// A tensor whose axes are sums falls into blocks, one for each choice of a
// segment on every axis. In a block, each factor is a dimension with a stride.
// Dimensions of one group tree that depend on each other form a slot: the unit
// in which permutations act. An alignment turns a slot into a table of offsets,
// and everything else (permuting, matching, comparing) is loops over tables.

#ifndef REBASIN_SYMMETRY_LAYOUT_H_
#define REBASIN_SYMMETRY_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/symmetry.h"

namespace rebasin {

struct Dim {
  int group = kNoGroup;
  int64_t size = 1;
  int64_t stride = 1;  // in elements
  // Where it stands in the tensor's description; of no use where fixed
  // dimensions were joined.
  int axis = 0;
  int segment = 0;
};

// All dimensions of one occurrence of a group tree, outer groups first; or all
// fixed dimensions of the block, in memory order. Its index runs row-major
// over `dims`.
struct Slot {
  int root = kNoGroup;  // kNoGroup: fixed
  std::vector<Dim> dims;

  int64_t size() const;
};

struct Block {
  int64_t offset = 0;       // of its first element in the tensor
  std::vector<Slot> slots;  // at most one fixed slot, the last; may be absent

  int64_t size() const;
};

// Requires that the symmetry describes the tensor. Of a tensor in a list: those
// of the whole list, as if its tensors followed each other in memory.
std::vector<Block> TensorBlocks(const Symmetry& symmetry,
                                const TensorSymmetry& tensor);

// Whether two slots are of the same groups.
bool SameGroups(const Slot& x, const Slot& y);
// The slot with row-major strides of its own combined index.
Slot Combined(Slot slot);

// Offset of each index of the slot, relative to the block: as the tensor lies
// in memory, and as an alignment finds the units for each position.
std::vector<int64_t> Offsets(const Slot& slot);
std::vector<int64_t> Offsets(const Slot& slot, const Alignment& alignment);

// For each index of the slot, the unit of the group of dimension `dim` that it
// belongs to: counted over all copies, copy * size + position.
std::vector<int64_t> UnitsAlong(const Slot& slot, size_t dim,
                                const Symmetry& symmetry);

// Offsets of the combined index over all slots but `slot`, in their order.
std::vector<int64_t> OffsetsOfOthers(const Block& block, size_t slot);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_LAYOUT_H_
