#include "permute/permuted_tensor.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <vector>

#include "base/per_thread.h"
#include "rebasin/error.h"
#include "symmetry/scaling.h"
#include "tensor/convert.h"

namespace rebasin {
namespace {

// Copies elements with a size known at compile time, so that each copy is one
// instruction.
template <size_t item>
void GatherRun(const std::byte* source, const int64_t* table, int64_t step,
               int64_t count, std::byte* out) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(out + i * item, source + table[i * step] * item, item);
  }
}

void GatherRun(size_t item, const std::byte* source, const int64_t* table,
               int64_t step, int64_t count, std::byte* out) {
  switch (item) {
    case 1:
      return GatherRun<1>(source, table, step, count, out);
    case 2:
      return GatherRun<2>(source, table, step, count, out);
    case 4:
      return GatherRun<4>(source, table, step, count, out);
    case 8:
      return GatherRun<8>(source, table, step, count, out);
    default:
      assert(false && "no element type has this size");
  }
}

bool OrdersList(const Slot& slot, int group) {
  return group != kNoGroup && slot.root == group;
}

// Reused, because there are many short runs.
struct ScaledRun {
  std::vector<double> values;
};

}  // namespace

// A position in a walk: the index of each step except the run, and values
// derived from these.
struct PermutedTensor::Position {
  Position(const Walk& the_walk, int64_t begin) : walk(the_walk) {
    at.assign(walk.steps.size() - 1, 0);
    slot_index.assign(walk.tables.size(), 0);
    Seek(begin);
  }

  // Moves to the last run that starts at or before `begin`, or to the first
  // one.
  void Seek(int64_t begin) {
    int64_t rest = std::max<int64_t>(0, begin - walk.offset);
    destination = walk.offset;
    for (size_t s = 0; s < at.size(); ++s) {
      const Step& step = walk.steps[s];
      Move(s, std::min(rest / step.stride, step.size - 1));
      rest -= at[s] * step.stride;
    }
  }

  bool Next() {
    for (size_t s = at.size(); s-- > 0;) {
      if (at[s] + 1 < walk.steps[s].size) {
        Move(s, 1);
        return true;
      }
      Move(s, -at[s]);
    }
    return false;
  }

  void Move(size_t s, int64_t by) {
    at[s] += by;
    destination += by * walk.steps[s].stride;
    slot_index[walk.steps[s].slot] += by * walk.steps[s].slot_stride;
  }

  // The source of the run's elements, without the slot of the run.
  int64_t SourceWithout(size_t skipped) const {
    int64_t source = walk.offset;
    for (size_t t = 0; t < walk.tables.size(); ++t) {
      if (t != skipped) source += walk.tables[t][slot_index[t]];
    }
    return source;
  }

  // The common factor of the run's elements, without the slot of the run.
  double FactorWithout(size_t skipped) const {
    double factor = 1;
    for (size_t t = 0; t < walk.factors.size(); ++t) {
      if (t == skipped || walk.factors[t].empty()) continue;
      factor *= walk.factors[t][slot_index[t]];
    }
    return factor;
  }

  const Walk& walk;
  std::vector<int64_t> at;
  std::vector<int64_t> slot_index;
  int64_t destination = 0;
};

PermutedTensor::PermutedTensor(const Checkpoint& model, const std::string& name,
                               const Alignment* alignment)
    : PermutedTensor(*model.Find(name), alignment,
                     [&](const std::string& other) -> const Tensor& {
                       return *model.Find(other);
                     }) {}

PermutedTensor::PermutedTensor(const Tensor& tensor, const Alignment* alignment,
                               const FindTensor& find)
    : tensor_(tensor), item_(static_cast<size_t>(DTypeBits(tensor.dtype)) / 8) {
  if (alignment == nullptr || tensor.size() == 0) return;
  const Symmetry& symmetry = alignment->symmetry();
  const TensorSymmetry* axes = symmetry.Find(tensor.name);
  if (axes == nullptr) return;
  Place place;
  if (axes->in_list()) {
    place = {.group = axes->member.group, .target = axes->member.index};
    place.source = alignment->permutation(place.group)[place.target];
    TakePlaceOf(find(symmetry.Sibling(*axes, place.source).name));
  }
  const std::vector<Block> blocks = TensorBlocks(symmetry, *axes);
  std::vector<Walk> walks;
  bool moves = false;
  bool scales = false;
  for (const Block& block : blocks) {
    walks.push_back(MakeWalk(block, *alignment, place));
    moves |= Moves(block, *alignment, place);
    scales |= walks.back().scales;
  }
  if (!moves && !scales) return;
  CheckType(scales);
  blocks_ = std::move(walks);
}

void PermutedTensor::TakePlaceOf(const Tensor& source) {
  if (source.dtype != tensor_.dtype) {
    throw Error(ErrorCode::kUnsupported,
                "tensor " + Quoted(source.name) + " of type " +
                    std::string(DTypeName(source.dtype)) +
                    " cannot take the place of " + Quoted(tensor_.name) +
                    " of type " + std::string(DTypeName(tensor_.dtype)),
                "convert the model to one type first");
  }
  tensor_.bytes = source.bytes;
  tensor_.owner = source.owner;
}

void PermutedTensor::CheckType(bool scales) const {
  const bool too_small = DTypeBits(tensor_.dtype) % 8 != 0;
  if (!too_small && (!scales || IsArithmetic(tensor_.dtype))) return;
  throw Error(ErrorCode::kUnsupported,
              "tensor " + Quoted(tensor_.name) + " of type " +
                  std::string(DTypeName(tensor_.dtype)) + " cannot be " +
                  (scales ? "rescaled" : "permuted"));
}

bool PermutedTensor::Moves(const Block& block, const Alignment& alignment,
                           const Place& place) const {
  return std::any_of(
      block.slots.begin(), block.slots.end(), [&](const Slot& slot) {
        return slot.root != kNoGroup && TableOf(slot, nullptr, place) !=
                                            TableOf(slot, &alignment, place);
      });
}

// For the slot that orders a list, the table covers only the part inside this
// tensor: from its first element, or from that of the tensor that replaces it.
std::vector<int64_t> PermutedTensor::TableOf(const Slot& slot,
                                             const Alignment* alignment,
                                             const Place& place) const {
  const auto table = alignment ? Offsets(slot, *alignment) : Offsets(slot);
  if (!OrdersList(slot, place.group)) return table;
  const int64_t length = slot.size() / slot.dims[0].size;
  const auto begin = table.begin() + place.target * length;
  std::vector<int64_t> part(begin, begin + length);
  const int64_t first = alignment ? place.source : place.target;
  for (int64_t& offset : part) offset -= first * slot.dims[0].stride;
  return part;
}

PermutedTensor::Walk PermutedTensor::MakeWalk(const Block& block,
                                              const Alignment& alignment,
                                              const Place& place) const {
  Walk walk;
  walk.offset = block.offset;
  const auto degrees = alignment.symmetry().Degrees(tensor_.name);
  for (const Slot& slot : block.slots) {
    const bool orders = OrdersList(slot, place.group);
    int64_t slot_stride = slot.size();
    for (size_t d = 0; d < slot.dims.size(); ++d) {
      const Dim& dim = slot.dims[d];
      slot_stride /= dim.size;
      if (d == 0 && orders) continue;  // the dimension of the list
      walk.steps.push_back(
          {dim.size, dim.stride, walk.tables.size(), slot_stride});
    }
    walk.tables.push_back(TableOf(slot, &alignment, place));
    walk.factors.push_back(SlotFactors(slot, degrees, alignment));
    walk.scales |= !walk.factors.back().empty();
  }
  std::stable_sort(
      walk.steps.begin(), walk.steps.end(), [](const Step& a, const Step& b) {
        // A dimension of size 1 may have the same stride as the one inside it.
        return a.stride != b.stride ? a.stride > b.stride : a.size < b.size;
      });
  if (walk.steps.empty() || walk.steps.back().stride != 1) {
    walk.steps.push_back({1, 1, walk.tables.size(), 0});
    walk.tables.push_back({0});
    walk.factors.push_back({});
  }
  const size_t slot = walk.steps.back().slot;
  walk.run_is_fixed =
      slot >= block.slots.size() || block.slots[slot].root == kNoGroup;
  return walk;
}

std::span<const std::byte> PermutedTensor::Read(
    int64_t begin, int64_t count, std::vector<std::byte>& scratch) const {
  if (DTypeBits(tensor_.dtype) % 8 != 0) return tensor_.bytes;
  const size_t size = static_cast<size_t>(count) * item_;
  if (!moved()) {
    return tensor_.bytes.subspan(static_cast<size_t>(begin) * item_, size);
  }
  scratch.resize(std::max(scratch.size(), size));
  for (const Walk& walk : blocks_) {
    Gather(walk, begin, begin + count, scratch.data());
  }
  return std::span(scratch).first(size);
}

// Writes those elements of [begin, end) that are in the block.
void PermutedTensor::Gather(const Walk& walk, int64_t begin, int64_t end,
                            std::byte* out) const {
  const Step& run = walk.steps.back();
  Position position(walk, begin);
  do {
    if (position.destination >= end) return;
    const int64_t from = std::max<int64_t>(0, begin - position.destination);
    const int64_t to = std::min(run.size, end - position.destination);
    if (from >= to) continue;
    std::byte* target =
        out + static_cast<size_t>(position.destination + from - begin) * item_;
    const int64_t source = position.SourceWithout(run.slot);
    const int64_t* table = walk.tables[run.slot].data() +
                           position.slot_index[run.slot] +
                           from * run.slot_stride;
    const std::byte* base =
        tensor_.bytes.data() + static_cast<size_t>(source) * item_;
    if (walk.run_is_fixed) {
      std::memcpy(target, base + static_cast<size_t>(*table) * item_,
                  static_cast<size_t>(to - from) * item_);
    } else {
      GatherRun(item_, base, table, run.slot_stride, to - from, target);
    }
    if (walk.scales) Scale(position, from, to - from, target);
  } while (position.Next());
}

// Multiplies the elements [from, from + count) of a run in place, in double, so
// that each is rounded once. If all factors are 1, bytes do not change.
void PermutedTensor::Scale(const Position& position, int64_t from,
                           int64_t count, std::byte* target) const {
  const Step& run = position.walk.steps.back();
  const std::vector<double>& along = position.walk.factors[run.slot];
  const double all = position.FactorWithout(run.slot);
  const bool varies = !along.empty();
  if (!varies && all == 1) return;
  const auto bytes = std::span(target, static_cast<size_t>(count) * item_);
  std::vector<double>& values = PerThread<ScaledRun>().values;
  values.resize(static_cast<size_t>(count));
  ToDoubles(tensor_.dtype, bytes, values);
  int64_t index = position.slot_index[run.slot] + from * run.slot_stride;
  for (double& value : values) {
    value *= varies ? all * along[static_cast<size_t>(index)] : all;
    index += run.slot_stride;
  }
  if (!FromDoubles(values, tensor_.dtype, bytes)) return;
  throw Error(ErrorCode::kBadInput,
              "tensor " + Quoted(tensor_.name) +
                  ": rescaled, an element is too large for " +
                  std::string(DTypeName(tensor_.dtype)));
}

}  // namespace rebasin
