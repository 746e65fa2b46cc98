#include "match/soft/soft_block.h"

#include <algorithm>

#include "match/costs/gather.h"
#include "tensor/gemm.h"

namespace rebasin {
namespace {

// The block as a dense array: [slot][others] if the slot is the first one,
// otherwise [others][slot]. So dense layers keep their order.
Block MixedLayout(const Block& block, size_t slot) {
  Block dense{.offset = 0, .slots = block.slots};
  int64_t stride = 1;
  const auto put = [&](Slot& s) {
    for (size_t d = s.dims.size(); d-- > 0;) {
      s.dims[d].stride = stride;
      stride *= s.dims[d].size;
    }
  };
  if (slot > 0) put(dense.slots[slot]);
  for (size_t s = dense.slots.size(); s-- > 0;) {
    if (s != slot) put(dense.slots[s]);
  }
  if (slot == 0) put(dense.slots[0]);
  return dense;
}

// Copies a block, one slot at a time.
class Copying {
 public:
  Copying(const Block& from, const Block& to) {
    for (const Slot& slot : from.slots) from_.push_back(Offsets(slot));
    for (const Slot& slot : to.slots) to_.push_back(Offsets(slot));
  }

  template <typename T>
  void Copy(size_t slot, const T* from, float* to) const {
    const std::vector<int64_t>&at = from_[slot], &where = to_[slot];
    if (slot + 1 < from_.size()) {
      for (size_t i = 0; i < at.size(); ++i) {
        Copy(slot + 1, from + at[i], to + where[i]);
      }
      return;
    }
    for (size_t i = 0; i < at.size(); ++i) to[where[i]] = AsFloat(from[at[i]]);
  }

 private:
  std::vector<std::vector<int64_t>> from_, to_;
};

}  // namespace

int PermutableSlots(const Block& block) {
  return static_cast<int>(
      std::count_if(block.slots.begin(), block.slots.end(),
                    [](const Slot& slot) { return slot.root != kNoGroup; }));
}

SoftBlock Mix(const BlockView& from, int slot, std::span<const float> matrix,
              ThreadPool& pool) {
  const std::vector<int64_t> others = OffsetsOfOthers(from.block, slot);
  const std::vector<int64_t> along = Offsets(from.block.slots[slot]);
  const auto m = static_cast<int64_t>(others.size());
  const auto n = static_cast<int64_t>(along.size());
  SoftBlock mixed{.block = MixedLayout(from.block, slot),
                  .values = std::vector<float>(m * n, 0.0f)};
  const auto rest =
      PackGathered({.data = from.data, .units = others, .steps = along});
  const auto soft = PackFrom({matrix.data(), n, false});
  if (slot == 0) {
    GemmAdd(pool, {.m = n, .n = m, .k = n}, soft, rest, mixed.values.data(), m);
  } else {
    GemmAdd(pool, {.m = m, .n = n, .k = n}, rest, soft, mixed.values.data(), n);
  }
  return mixed;
}

SoftBlock Averaged(const BlockView& from, int slot) {
  const std::vector<int64_t> others = OffsetsOfOthers(from.block, slot);
  const std::vector<int64_t> along = Offsets(from.block.slots[slot]);
  SoftBlock mixed{.block = MixedLayout(from.block, slot), .values = {}};
  mixed.values.resize(others.size() * along.size());
  const auto to_others = OffsetsOfOthers(mixed.block, slot);
  const auto to_along = Offsets(mixed.block.slots[slot]);
  from.data.Visit([&](const auto* data) {
    for (size_t o = 0; o < others.size(); ++o) {
      double sum = 0;
      for (const int64_t unit : along) sum += AsFloat(data[others[o] + unit]);
      const auto mean =
          static_cast<float>(sum / static_cast<double>(along.size()));
      for (const int64_t unit : to_along)
        mixed.values[to_others[o] + unit] = mean;
    }
  });
  return mixed;
}

void AddGram(const BlockView& a, const BlockView& b, int slot, ThreadPool& pool,
             const CostTarget& costs) {
  const auto units_a = Offsets(a.block.slots[slot]);
  const auto units_b = Offsets(b.block.slots[slot]);
  const auto steps_a = OffsetsOfOthers(a.block, slot);
  const auto steps_b = OffsetsOfOthers(b.block, slot);
  costs.Add({.data = a.data, .units = units_a, .steps = steps_a},
            {.data = b.data, .units = units_b, .steps = steps_b}, 0, pool);
}

void CopyBlock(const BlockView& from, const Block& block, float* to) {
  const Copying copying(from.block, block);
  from.data.Visit(
      [&](const auto* data) { copying.Copy(0, data, to + block.offset); });
}

}  // namespace rebasin
