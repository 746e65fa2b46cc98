// The layout of groups in a tensor's memory.
//
// A tensor whose axes are sums consists of blocks, one for each choice of a
// segment on every axis. In a block, each factor is a dimension with a stride.
// Dimensions of one group tree that depend on each other form a slot, the unit
// in which permutations act. An alignment turns a slot into a table of offsets.
// Permuting, matching and comparing are loops over such tables.

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
  // The position in the tensor's description. Meaningless if fixed dimensions
  // were merged.
  int axis = 0;
  int segment = 0;
};

// All dimensions of one occurrence of a group tree, outer groups first; or all
// fixed dimensions of the block, in memory order. The index of a slot runs
// row-major over `dims`.
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

// Requires that the symmetry describes the tensor. For a tensor in a list,
// returns the blocks of the whole list, as if its tensors were contiguous.
std::vector<Block> TensorBlocks(const Symmetry& symmetry,
                                const TensorSymmetry& tensor);

// Whether the dimensions of both slots have the same groups.
bool SameGroups(const Slot& x, const Slot& y);
// The slot with the row-major strides of its own combined index.
Slot Combined(Slot slot);

// The offset of each index of the slot, relative to the block: in the tensor's
// memory order, or with the units in the order of the alignment.
std::vector<int64_t> Offsets(const Slot& slot);
std::vector<int64_t> Offsets(const Slot& slot, const Alignment& alignment);

// For each index of the slot, the unit of the group of dimension `dim`, counted
// over all copies: copy * size + position.
std::vector<int64_t> UnitsAlong(const Slot& slot, size_t dim,
                                const Symmetry& symmetry);

// Offsets of the combined index over all slots except `slot`, in order.
std::vector<int64_t> OffsetsOfOthers(const Block& block, size_t slot);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_LAYOUT_H_
