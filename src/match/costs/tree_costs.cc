#include "match/costs/tree_costs.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "match/costs/bound.h"

namespace rebasin {
namespace {

constexpr double kSafety = 0.7;  // in the choice of occurrences to skip

// Where siblings meet, the matrix is not computed if it has more than this many
// times the size of its factors.
constexpr int64_t kMaxGrowth = 4;

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

std::vector<std::vector<int64_t>> UnitsOfB(
    const std::vector<Contraction>& contractions) {
  std::vector<std::vector<int64_t>> units;
  for (const Contraction& slot : contractions) units.push_back(slot.b);
  return units;
}

// The correction from `before` to `now`: if a single slot changed, only its
// changed positions.
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

TreeCosts::TreeCosts(const Problem& problem, int tree, Quadratic quadratic)
    : problem_(problem), root_(problem.roots()[tree]) {
  for (const Occurrence& occurrence : problem.occurrences(tree)) {
    AddOccurrence(occurrence, quadratic);
  }
  FactorParts();
}

void TreeCosts::AddOccurrence(const Occurrence& occurrence,
                              Quadratic quadratic) {
  const Term& term = problem_.terms()[occurrence.term];
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

// The number of contracted positions.
int64_t TreeCosts::Steps(const Included& item) const {
  const Block& block = problem_.terms()[item.where.term].block;
  return block.size() / block.slots[item.where.slot].size();
}

void TreeCosts::FactorParts() {
  std::vector<int64_t> steps(parts_.size(), 0);
  for (Included& item : items_) {
    item.step = steps[item.part];
    steps[item.part] += Steps(item);
  }
  for (size_t p = 0; p < parts_.size(); ++p) {
    CostPart& part = parts_[p];
    if (!HasSiblings(part.slot, *problem_.symmetry())) continue;
    if (part.n() <= kMaxGrowth * 2 * steps[p]) continue;
    part.factors.emplace(part.slot, steps[p]);
  }
}

CostTarget TreeCosts::TargetOf(const Included& item) {
  return {.part = parts_[item.part], .step = item.step};
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

double TreeCosts::Flops(const Occurrence& where) const {
  for (const Included& item : items_) {
    if (item.where.term != where.term || item.where.slot != where.slot) {
      continue;
    }
    const auto n = static_cast<double>(parts_[item.part].n());
    return parts_[item.part].factors
               ? 0
               : 2 * n * n * static_cast<double>(Steps(item));
  }
  return 0;
}

bool TreeCosts::Refresh(const Alignment& alignment,
                        const std::function<bool(const Occurrence&)>& usable,
                        GramBuilder& grams) {
  AllocateParts();
  std::vector<Included*> all;
  for (Included& item : items_) {
    if (item.included || usable(item.where)) all.push_back(&item);
  }
  return UpdateAll(all, alignment, grams);
}

bool TreeCosts::UpdateAll(std::span<Included* const> items,
                          const Alignment& alignment, GramBuilder& grams) {
  bool changed = false;
  for (size_t i = 0; i < items.size(); ++i) {
    const Included* next = i + 1 < items.size() ? items[i + 1] : nullptr;
    changed = Update(*items[i], next, alignment, grams) || changed;
  }
  return changed;
}

bool TreeCosts::RefreshHeaviest(
    const Alignment& alignment,
    const std::function<bool(const Occurrence&)>& usable, GramBuilder& grams) {
  if (!CanLeaveOut()) return Refresh(alignment, usable, grams);
  AllocateParts();
  const std::vector<Included*> heaviest = Heaviest(alignment, usable);
  std::vector<Included*> all;
  for (Included& item : items_) {
    if (item.included) all.push_back(&item);
  }
  all.insert(all.end(), heaviest.begin(), heaviest.end());
  return UpdateAll(all, alignment, grams);
}

void TreeCosts::AllocateParts() {
  for (CostPart& part : parts_) part.Allocate();
}

bool TreeCosts::CanLeaveOut() const {
  // The proof reads all weights once, at a few nanoseconds each; in small
  // groups products take less time.
  constexpr int64_t kSmallest = 384;
  return parts_.size() == 1 && parts_[0].slot.dims.size() == 1 &&
         parts_[0].n() >= kSmallest && quadratic_terms_.empty();
}

double TreeCosts::Weight(const Included& item) const {
  return problem_.terms()[item.where.term].weight;
}

double TreeCosts::IncludedWeight() const {
  double weight = 0;
  for (const Included& item : items_) {
    if (item.included) weight += Weight(item);
  }
  return weight;
}

// How far the chosen costs exceed the average of their rows, as a share of the
// largest possible excess: 1 for a perfect copy, near 0 for unrelated models.
// Scales of norms, which are all alike, are left out.
double TreeCosts::Contrast(const Alignment& alignment) const {
  const double weight = IncludedWeight();
  const CostPart& part = parts_[0];
  if (weight <= 0 || part.gram.empty()) return 0;
  const double all = std::accumulate(part.gram.begin(), part.gram.end(), 0.0);
  const double average = all / static_cast<double>(part.n());
  return std::clamp((Value(alignment) - average) / weight, 0.0, 1.0);
}

// With contrast c, the margin of the included weight W is about c W, and the
// skipped weight w could reduce it by w (1 - c). So occurrences are included
// until w (1 - c) is safely below c W.
std::vector<TreeCosts::Included*> TreeCosts::Heaviest(
    const Alignment& alignment,
    const std::function<bool(const Occurrence&)>& usable) {
  double included = IncludedWeight(), left_out = 0;
  std::vector<Included*> candidates;
  for (Included& item : items_) {
    if (item.included || !usable(item.where)) continue;
    left_out += Weight(item);
    candidates.push_back(&item);
  }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [&](Included* x, Included* y) { return Weight(*x) > Weight(*y); });
  const double contrast = Contrast(alignment);
  size_t count = 0;
  while (count < candidates.size() &&
         left_out * (1 - contrast) > kSafety * contrast * included) {
    included += Weight(*candidates[count]);
    left_out -= Weight(*candidates[count]);
    ++count;
  }
  candidates.resize(count);
  return candidates;
}

std::vector<Contraction> TreeCosts::Contractions(
    const Included& item, const Alignment& alignment) const {
  const std::vector<Slot>& slots =
      problem_.terms()[item.where.term].block.slots;
  std::vector<Contraction> all;
  for (size_t s = 0; s < slots.size(); ++s) {
    if (static_cast<int>(s) == item.where.slot) continue;
    all.push_back({.a = Offsets(slots[s]), .b = Offsets(slots[s], alignment)});
  }
  return all;
}

// `next`, if any, is probably updated next.
bool TreeCosts::Update(Included& item, const Included* next,
                       const Alignment& alignment, GramBuilder& grams) {
  const Term& term = problem_.terms()[item.where.term];
  std::vector<Contraction> full = Contractions(item, alignment);
  std::vector<std::vector<int64_t>> offsets = UnitsOfB(full);
  if (item.included && offsets == item.offsets) return false;
  const bool corrects = item.included && !parts_[item.part].factors;
  const auto contractions =
      corrects ? Correction(std::move(full), item.offsets) : full;
  if (next != nullptr) problem_.Expect(problem_.terms()[next->where.term]);
  grams.Accumulate(term, item.where.slot, contractions, TargetOf(item));
  problem_.Leave(term);
  item.included = true;
  item.offsets = std::move(offsets);
  return true;
}

bool TreeCosts::IsStillOptimal(
    const Alignment& alignment, std::span<const double> column_duals,
    const std::function<bool(const Occurrence&)>& usable, ThreadPool& pool) {
  if (parts_.empty()) return false;
  std::vector<std::pair<Included*, std::vector<Contraction>>> left_out;
  bool proved = true;
  for (Included& item : items_) {
    if (!item.included && !usable(item.where)) continue;
    std::vector<Contraction> now = Contractions(item, alignment);
    const bool same = UnitsOfB(now) == item.offsets;
    if (item.included && !same) return false;
    if (item.included) continue;
    proved = proved && same;
    left_out.emplace_back(&item, std::move(now));
  }
  if (proved) return quadratic_terms_.empty();
  if (!CanLeaveOut() || !parts_[0].allocated()) return false;
  double weight = 0;
  for (const auto& [item, now] : left_out) weight += Weight(*item);
  const double contrast = Contrast(alignment);
  // Skips a proof that would probably fail, since it costs a pass over the
  // weights.
  if (weight * (1 - contrast) > contrast * IncludedWeight()) return false;
  const auto permutation = alignment.permutation(root_);
  std::vector<TermBound> bounds;
  for (const auto& [item, now] : left_out) {
    const Term& term = problem_.terms()[item->where.term];
    bounds.push_back(BoundTerm(term, item->where.slot, now, permutation, pool));
    problem_.Leave(term);
  }
  if (!StaysOptimal(parts_[0].gram, permutation, column_duals, bounds, pool)) {
    return false;
  }
  for (auto& [item, now] : left_out) item->offsets = UnitsOfB(now);
  return true;
}

void TreeCosts::Recompute(
    const std::function<void(const Occurrence&, const CostTarget&)>& add) {
  for (CostPart& part : parts_) {
    part.Allocate();
    part.Clear();
  }
  for (const Included& item : items_) add(item.where, TargetOf(item));
}

void TreeCosts::Forget() {
  for (CostPart& part : parts_) part.Clear();
  for (Included& item : items_) {
    item.included = false;
    item.offsets.clear();
  }
}

void TreeCosts::Release() {
  for (CostPart& part : parts_) part.Release();
  Forget();
}

void TreeCosts::ReleaseCosts() {
  for (CostPart& part : parts_) part.Release();
  for (Included& item : items_) item.included = false;
}

int64_t TreeCosts::bytes() const {
  int64_t bytes = 0;
  for (const CostPart& part : parts_) bytes += part.bytes();
  return bytes;
}

double TreeCosts::Tolerance() const {
  double weight = 0;
  for (const Occurrence& where : problem_.occurrences(problem_.TreeOf(root_))) {
    weight += problem_.terms()[where.term].weight;
  }
  return 0x1p-23 * weight;
}

double TreeCosts::Value(const Alignment& alignment) const {
  double value = 0;
  for (const CostPart& part : parts_) {
    value += part.Value(Offsets(part.slot, alignment));
  }
  return value;
}

}  // namespace rebasin
