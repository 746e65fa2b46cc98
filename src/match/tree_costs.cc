#include "match/tree_costs.h"

#include <algorithm>
#include <cassert>

namespace rebasin {
namespace {

bool SameGroups(const Slot& x, const Slot& y) {
  return std::equal(
      x.dims.begin(), x.dims.end(), y.dims.begin(), y.dims.end(),
      [](const Dim& a, const Dim& b) { return a.group == b.group; });
}

// The slot with row-major strides of its own combined index.
Slot Combined(Slot slot) {
  int64_t stride = 1;
  for (size_t d = slot.dims.size(); d-- > 0;) {
    slot.dims[d].stride = stride;
    stride *= slot.dims[d].size;
  }
  return slot;
}

int CountSlots(const Block& block, int root) {
  return static_cast<int>(
      std::count_if(block.slots.begin(), block.slots.end(),
                    [&](const Slot& slot) { return slot.root == root; }));
}

std::vector<int64_t> Select(const std::vector<int64_t>& values,
                            const std::vector<size_t>& at) {
  std::vector<int64_t> selected;
  selected.reserve(at.size());
  for (size_t i : at) selected.push_back(values[i]);
  return selected;
}

std::vector<size_t> Differing(const std::vector<int64_t>& x,
                              const std::vector<int64_t>& y) {
  std::vector<size_t> at;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] != y[i]) at.push_back(i);
  }
  return at;
}

// What replaces `before` by `now`: where a single slot changed, its changed
// positions suffice.
std::vector<Contraction> Correction(
    std::vector<Contraction> full,
    const std::vector<std::vector<int64_t>>& before) {
  std::vector<size_t> changed;
  for (size_t s = 0; s < full.size(); ++s) {
    if (full[s].b != before[s]) changed.push_back(s);
  }
  for (size_t s : changed) full[s].b_before = before[s];
  if (changed.size() != 1) return full;
  Contraction& slot = full[changed[0]];
  const std::vector<size_t> at = Differing(slot.b, slot.b_before);
  slot = {Select(slot.a, at), Select(slot.b, at), Select(slot.b_before, at)};
  return full;
}

}  // namespace

std::vector<int64_t> CombinedPermutation(const Slot& slot,
                                         const Alignment& alignment) {
  return Offsets(slot, alignment);
}

TreeCosts::TreeCosts(const Problem& problem, int tree, Quadratic quadratic)
    : problem_(problem), root_(problem.roots()[tree]) {
  for (const Occurrence& occurrence : problem.occurrences(tree)) {
    AddOccurrence(occurrence, quadratic);
  }
}

void TreeCosts::AddOccurrence(const Occurrence& occurrence,
                              Quadratic quadratic) {
  const Term& term = problem_.terms()[occurrence.term];
  tolerance_ += 0x1p-23 * term.weight;
  if (quadratic == Quadratic::kSetApart && CountSlots(term.block, root_) > 1) {
    if (quadratic_terms_.empty() ||
        quadratic_terms_.back() != occurrence.term) {
      quadratic_terms_.push_back(occurrence.term);
    }
    return;
  }
  Included item;
  item.where = occurrence;
  item.part = PartFor(term.block.slots[occurrence.slot]);
  items_.push_back(std::move(item));
}

size_t TreeCosts::PartFor(const Slot& slot) {
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (SameGroups(parts_[p].slot, slot)) return p;
  }
  parts_.push_back({.slot = Combined(slot), .gram = {}});
  return parts_.size() - 1;
}

double TreeCosts::Evidence(
    const std::function<bool(const Occurrence&)>& usable) const {
  double evidence = 0;
  for (const Included& item : items_) {
    if (!usable(item.where)) continue;
    const Block& block = problem_.terms()[item.where.term].block;
    evidence += static_cast<double>(block.size()) /
                static_cast<double>(block.slots[item.where.slot].dims[0].size);
  }
  return evidence;
}

bool TreeCosts::Refresh(const Alignment& alignment,
                        const std::function<bool(const Occurrence&)>& usable,
                        GramBuilder& grams) {
  bool changed = false;
  for (CostPart& part : parts_) {
    if (part.gram.empty()) part.gram.assign(part.n() * part.n(), 0.0f);
  }
  for (Included& item : items_) {
    if (item.included || usable(item.where)) {
      changed = Update(item, alignment, grams) || changed;
    }
  }
  return changed;
}

bool TreeCosts::Update(Included& item, const Alignment& alignment,
                       GramBuilder& grams) {
  const Term& term = problem_.terms()[item.where.term];
  std::vector<Contraction> full;
  std::vector<std::vector<int64_t>> offsets;
  for (size_t s = 0; s < term.block.slots.size(); ++s) {
    if (static_cast<int>(s) == item.where.slot) continue;
    const Slot& slot = term.block.slots[s];
    offsets.push_back(Offsets(slot, alignment));
    full.push_back({.a = Offsets(slot), .b = offsets.back(), .b_before = {}});
  }
  if (item.included && offsets == item.offsets) return false;
  const auto contractions =
      item.included ? Correction(std::move(full), item.offsets) : full;
  grams.Accumulate(term, item.where.slot, contractions, parts_[item.part].gram);
  item.included = true;
  item.offsets = std::move(offsets);
  return true;
}

void TreeCosts::Recompute(
    const std::function<void(const Occurrence&, std::span<float>)>& add) {
  for (CostPart& part : parts_) part.gram.assign(part.n() * part.n(), 0.0f);
  for (const Included& item : items_) add(item.where, parts_[item.part].gram);
}

void TreeCosts::Release() {
  for (CostPart& part : parts_) std::vector<float>().swap(part.gram);
  for (Included& item : items_) {
    item.included = false;
    item.offsets.clear();
  }
}

int64_t TreeCosts::bytes() const {
  int64_t bytes = 0;
  for (const CostPart& part : parts_) {
    bytes += part.n() * part.n() * static_cast<int64_t>(sizeof(float));
  }
  return bytes;
}

double TreeCosts::Value(const Alignment& alignment) const {
  double value = 0;
  for (const CostPart& part : parts_) {
    const auto permutation = CombinedPermutation(part.slot, alignment);
    for (int64_t i = 0; i < part.n(); ++i) {
      value += part.gram[i * part.n() + permutation[i]];
    }
  }
  return value;
}

}  // namespace rebasin
