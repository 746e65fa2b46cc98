#include "symmetry/layout.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "rebasin/error.h"
#include "symmetry/lists.h"
#include "symmetry/placement.h"

namespace rebasin {
namespace {

// Limit of the blocks of a tensor. The number of blocks is the product of the
// numbers of segments of all axes; real specs stay far below.
constexpr int64_t kMaxBlocks = int64_t{1} << 14;

struct PlacedDim {
  Dim dim;
  size_t axis;
};

// Builds the slots of one block from its dimensions.
class SlotBuilder {
 public:
  SlotBuilder(const Symmetry& symmetry, const std::string& tensor)
      : symmetry_(symmetry), tensor_(tensor) {}

  std::vector<Slot> Build(const std::vector<PlacedDim>& dims) {
    for (const PlacedDim& placed : dims) OpenSlotForRoot(placed);
    for (const PlacedDim& placed : dims) AttachInner(placed);
    for (Slot& slot : slots_) OrderAndCheck(slot);
    AddFixed(dims);
    return std::move(slots_);
  }

 private:
  bool IsInner(int group) const {
    return symmetry_.groups()[group].parent != kNoGroup;
  }

  void OpenSlotForRoot(const PlacedDim& placed) {
    const int group = placed.dim.group;
    if (group == kNoGroup || IsInner(group)) return;
    for (size_t s = 0; s < slots_.size(); ++s) {
      if (slots_[s].root == group && axes_[s] == placed.axis) {
        Fail(group, "occurs twice in one product");
      }
    }
    slots_.push_back({.root = group, .dims = {placed.dim}});
    axes_.push_back(placed.axis);
  }

  void AttachInner(const PlacedDim& placed) {
    const int group = placed.dim.group;
    if (group == kNoGroup || !IsInner(group)) return;
    slots_[SlotFor(group, placed.axis)].dims.push_back(placed.dim);
  }

  // The slot of the same tree on the same axis, otherwise the only slot of that
  // tree.
  size_t SlotFor(int group, size_t axis) const {
    const int root = symmetry_.Root(group);
    std::vector<size_t> elsewhere;
    for (size_t s = 0; s < slots_.size(); ++s) {
      if (slots_[s].root != root) continue;
      if (axes_[s] == axis) return s;
      elsewhere.push_back(s);
    }
    const std::string& outer = symmetry_.groups()[root].name;
    if (elsewhere.empty()) {
      Fail(group, "lies within " + Quoted(outer) +
                      ", which does not occur in this tensor");
    }
    if (elsewhere.size() > 1) {
      Fail(group,
           "could belong to " + Quoted(outer) + " on more than one axis");
    }
    return elsewhere[0];
  }

  int Depth(int group) const {
    int depth = 0;
    for (int g = symmetry_.groups()[group].parent; g != kNoGroup;
         g = symmetry_.groups()[g].parent) {
      ++depth;
    }
    return depth;
  }

  void OrderAndCheck(Slot& slot) const {
    std::stable_sort(slot.dims.begin(), slot.dims.end(),
                     [&](const Dim& a, const Dim& b) {
                       return Depth(a.group) < Depth(b.group);
                     });
    for (const Dim& dim : slot.dims) CheckParentPresent(slot, dim.group);
  }

  void CheckParentPresent(const Slot& slot, int group) const {
    const int parent = symmetry_.groups()[group].parent;
    if (parent == kNoGroup) return;
    const auto is_parent = [&](const Dim& d) { return d.group == parent; };
    const auto count =
        std::count_if(slot.dims.begin(), slot.dims.end(), is_parent);
    const std::string& name = symmetry_.groups()[parent].name;
    if (count == 0) {
      Fail(group, "lies within " + Quoted(name) +
                      ", which does not occur in this tensor");
    }
    if (count > 1) {
      Fail(group, "could belong to several occurrences of " + Quoted(name));
    }
  }

  // Merges neighbouring fixed dimensions where strides allow it, so that loops
  // run over long contiguous ranges.
  void AddFixed(const std::vector<PlacedDim>& dims) {
    Slot fixed;
    for (const auto& [dim, axis] : dims) {
      if (dim.group != kNoGroup || dim.size == 1) continue;
      if (!fixed.dims.empty() &&
          fixed.dims.back().stride == dim.size * dim.stride) {
        fixed.dims.back().size *= dim.size;
        fixed.dims.back().stride = dim.stride;
      } else {
        fixed.dims.push_back(dim);
      }
    }
    if (!fixed.dims.empty()) slots_.push_back(std::move(fixed));
  }

  [[noreturn]] void Fail(int group, const std::string& what) const {
    throw Error(ErrorCode::kBadInput,
                "tensor " + Quoted(tensor_) + ": group " +
                    Quoted(symmetry_.groups()[group].name) + " " + what);
  }

  const Symmetry& symmetry_;
  const std::string& tensor_;
  std::vector<Slot> slots_;
  std::vector<size_t> axes_;  // the axis of each slot's root
};

std::vector<int64_t> AxisStrides(const TensorSymmetry& tensor) {
  std::vector<int64_t> strides(tensor.axes.size());
  int64_t stride = 1;
  for (size_t a = strides.size(); a-- > 0;) {
    strides[a] = stride;
    stride *= tensor.size(a);
  }
  return strides;
}

bool IsEmpty(const Segment& segment) {
  return std::any_of(segment.begin(), segment.end(),
                     [](const Factor& factor) { return factor.size == 0; });
}

// Adds the number of choices of one segment on each axis to `count`.
void CountChoices(const std::vector<Axis>& axes, const std::string& tensor,
                  int64_t& count) {
  int64_t choices = 1;
  for (const Axis& axis : axes) {
    choices *= static_cast<int64_t>(axis.segments.size());
    if (count + choices <= kMaxBlocks) continue;
    throw Error(ErrorCode::kLimit,
                "tensor " + Quoted(tensor) + ": more than " +
                    std::to_string(kMaxBlocks) +
                    " combinations of concatenated segments");
  }
  count += choices;
}

// Enumerates the choices of one segment on each axis, in one part of a tensor.
class BlockEnumerator {
 public:
  BlockEnumerator(const Symmetry& symmetry, const TensorSymmetry& tensor,
                  size_t part, std::vector<Block>& blocks)
      : symmetry_(symmetry),
        tensor_(tensor),
        axes_(tensor.part(part)),
        strides_(AxisStrides(tensor)),
        blocks_(blocks) {
    for (const Axis& axis : axes_) placed_.push_back(PlaceSegments(axis));
  }

  // `first`: the part's first index along the axis along which parts are
  // joined.
  void Run(int64_t first) {
    Choose(0, axes_.empty() ? 0 : first * strides_[tensor_.along]);
  }

 private:
  void Choose(size_t axis, int64_t offset) {
    if (axis == axes_.size()) {
      SlotBuilder builder(symmetry_, tensor_.name);
      blocks_.push_back({.offset = offset, .slots = builder.Build(dims_)});
      return;
    }
    const auto& segments = axes_[axis].segments;
    for (size_t s = 0; s < segments.size(); ++s) {
      if (IsEmpty(segments[s])) continue;
      const size_t mark = dims_.size();
      Place(axis, s);
      Choose(axis + 1, offset + placed_[axis][s].offset * strides_[axis]);
      dims_.resize(mark);
    }
  }

  void Place(size_t axis, size_t number) {
    const Segment& segment = axes_[axis].segments[number];
    for (size_t f = 0; f < segment.size(); ++f) {
      const int64_t stride = placed_[axis][number].strides[f] * strides_[axis];
      const Dim dim{segment[f].group, segment[f].size, stride,
                    static_cast<int>(axis), static_cast<int>(number)};
      dims_.push_back({dim, axis});
    }
  }

  const Symmetry& symmetry_;
  const TensorSymmetry& tensor_;
  const std::vector<Axis>& axes_;
  const std::vector<int64_t> strides_;
  std::vector<Block>& blocks_;
  std::vector<std::vector<PlacedSegment>> placed_;  // by axis
  std::vector<PlacedDim> dims_;
};

// Increments a row-major index. Returns false after the last one.
bool Advance(const std::vector<Dim>& dims, std::vector<int64_t>& position) {
  for (size_t d = dims.size(); d-- > 0;) {
    if (++position[d] < dims[d].size) return true;
    position[d] = 0;
  }
  return false;
}

// For each dimension, the dimensions of the groups that its group lies within,
// outermost first. Their positions select the copy of its permutation.
std::vector<std::vector<size_t>> AncestorDims(const Slot& slot,
                                              const Symmetry& symmetry) {
  std::vector<std::vector<size_t>> ancestors(slot.dims.size());
  for (size_t d = 0; d < slot.dims.size(); ++d) {
    const int parent = symmetry.groups()[slot.dims[d].group].parent;
    for (size_t p = 0; p < d && parent != kNoGroup; ++p) {
      if (slot.dims[p].group != parent) continue;
      ancestors[d] = ancestors[p];
      ancestors[d].push_back(p);
    }
  }
  return ancestors;
}

}  // namespace

int64_t Slot::size() const {
  int64_t size = 1;
  for (const Dim& dim : dims) size *= dim.size;
  return size;
}

int64_t Block::size() const {
  int64_t size = 1;
  for (const Slot& slot : slots) size *= slot.size();
  return size;
}

std::vector<Block> TensorBlocks(const Symmetry& symmetry,
                                const TensorSymmetry& tensor) {
  if (tensor.in_list()) {
    return TensorBlocks(symmetry, Stacked(tensor, symmetry.groups()));
  }
  std::vector<Block> blocks;
  int64_t count = 0, first = 0;
  for (size_t p = 0; p < tensor.parts(); ++p) {
    CountChoices(tensor.part(p), tensor.name, count);
    BlockEnumerator(symmetry, tensor, p, blocks).Run(first);
    if (p + 1 < tensor.parts()) first += tensor.part(p)[tensor.along].size();
  }
  return blocks;
}

std::vector<int64_t> Offsets(const Slot& slot) {
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(slot.size()));
  std::vector<int64_t> position(slot.dims.size(), 0);
  do {
    int64_t offset = 0;
    for (size_t d = 0; d < slot.dims.size(); ++d) {
      offset += position[d] * slot.dims[d].stride;
    }
    offsets.push_back(offset);
  } while (Advance(slot.dims, position));
  return offsets;
}

std::vector<int64_t> Offsets(const Slot& slot, const Alignment& alignment) {
  if (slot.root == kNoGroup) return Offsets(slot);
  const auto ancestors = AncestorDims(slot, alignment.symmetry());
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(slot.size()));
  std::vector<int64_t> position(slot.dims.size(), 0);
  do {
    int64_t offset = 0;
    for (size_t d = 0; d < slot.dims.size(); ++d) {
      int64_t copy = 0;
      for (size_t a : ancestors[d])
        copy = copy * slot.dims[a].size + position[a];
      const auto permutation = alignment.permutation(slot.dims[d].group, copy);
      offset += permutation[position[d]] * slot.dims[d].stride;
    }
    offsets.push_back(offset);
  } while (Advance(slot.dims, position));
  return offsets;
}

std::vector<int64_t> UnitsAlong(const Slot& slot, size_t dim,
                                const Symmetry& symmetry) {
  std::vector<size_t> chain = AncestorDims(slot, symmetry)[dim];
  chain.push_back(dim);
  std::vector<int64_t> units;
  units.reserve(static_cast<size_t>(slot.size()));
  std::vector<int64_t> position(slot.dims.size(), 0);
  do {
    int64_t unit = 0;
    for (size_t d : chain) unit = unit * slot.dims[d].size + position[d];
    units.push_back(unit);
  } while (Advance(slot.dims, position));
  return units;
}

bool SameGroups(const Slot& x, const Slot& y) {
  return std::equal(
      x.dims.begin(), x.dims.end(), y.dims.begin(), y.dims.end(),
      [](const Dim& a, const Dim& b) { return a.group == b.group; });
}

Slot Combined(Slot slot) {
  int64_t stride = 1;
  for (size_t d = slot.dims.size(); d-- > 0;) {
    slot.dims[d].stride = stride;
    stride *= slot.dims[d].size;
  }
  return slot;
}

std::vector<int64_t> OffsetsOfOthers(const Block& block, size_t slot) {
  std::vector<int64_t> all = {0};
  for (size_t s = 0; s < block.slots.size(); ++s) {
    if (s == slot) continue;
    const std::vector<int64_t> offsets = Offsets(block.slots[s]);
    std::vector<int64_t> next;
    next.reserve(all.size() * offsets.size());
    for (int64_t outer : all) {
      for (int64_t inner : offsets) next.push_back(outer + inner);
    }
    all = std::move(next);
  }
  return all;
}

}  // namespace rebasin
