// The state of a tree's costs, to go on from later with the same bits.

#include <algorithm>
#include <string>

#include "match/costs/tree_costs.h"

namespace rebasin {
namespace {

std::string PartName(const std::string& prefix, size_t part) {
  return prefix + "costs." + std::to_string(part);
}

std::string ItemName(const std::string& prefix, size_t item) {
  return prefix + "item." + std::to_string(item);
}

// The slots other than `slot`, in order.
std::vector<int64_t> SizesOfOthers(const Block& block, int slot) {
  std::vector<int64_t> sizes;
  for (size_t s = 0; s < block.slots.size(); ++s) {
    if (static_cast<int>(s) != slot) sizes.push_back(block.slots[s].size());
  }
  return sizes;
}

// Offsets are used to read memory, so they must be those of the slot, in any
// order.
bool AreOffsetsOf(std::vector<int64_t> offsets, const Slot& slot) {
  std::vector<int64_t> expected = Offsets(slot);
  std::sort(offsets.begin(), offsets.end());
  std::sort(expected.begin(), expected.end());
  return offsets == expected;
}

}  // namespace

bool TreeCosts::CanSaveCosts() const {
  return std::none_of(parts_.begin(), parts_.end(), [](const CostPart& part) {
    return part.factors.has_value();
  });
}

// An item is one list: whether it is included, and the offsets of each slot.
void TreeCosts::Save(const std::string& prefix, StateWriter& to) const {
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].factors || parts_[p].gram.empty()) continue;
    to.Add(PartName(prefix, p), std::span<const float>(parts_[p].gram));
  }
  for (size_t i = 0; i < items_.size(); ++i) {
    const Included& item = items_[i];
    if (!item.included && item.offsets.empty()) continue;
    std::vector<int64_t> list = {item.included ? 1 : 0};
    for (const std::vector<int64_t>& offsets : item.offsets) {
      list.insert(list.end(), offsets.begin(), offsets.end());
    }
    to.Add(ItemName(prefix, i), std::span<const int64_t>(list));
  }
}

void TreeCosts::Restore(const std::string& prefix, const StateReader& from) {
  Release();
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (!from.Has(PartName(prefix, p))) continue;
    parts_[p].Allocate();
    from.Read(PartName(prefix, p), std::span(parts_[p].gram));
  }
  for (size_t i = 0; i < items_.size(); ++i) {
    if (from.Has(ItemName(prefix, i))) {
      RestoreItem(ItemName(prefix, i), from, items_[i]);
    }
  }
}

void TreeCosts::RestoreItem(const std::string& name, const StateReader& from,
                            Included& item) const {
  const Block& block = problem_.terms()[item.where.term].block;
  const std::vector<int64_t> sizes = SizesOfOthers(block, item.where.slot);
  int64_t total = 1;
  for (const int64_t size : sizes) total += size;
  std::vector<int64_t> list(static_cast<size_t>(total));
  from.Read(name, std::span(list));
  item.included = list[0] == 1;
  if (item.included && !parts_[item.part].allocated()) from.Fail(name);
  item.offsets.clear();
  auto next = list.begin() + 1;
  size_t slot = 0;
  for (const int64_t size : sizes) {
    if (static_cast<int>(slot) == item.where.slot) ++slot;
    item.offsets.emplace_back(next, next + size);
    if (!AreOffsetsOf(item.offsets.back(), block.slots[slot])) from.Fail(name);
    next += size;
    ++slot;
  }
}

}  // namespace rebasin
