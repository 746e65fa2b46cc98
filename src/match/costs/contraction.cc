#include "match/costs/contraction.h"

#include <algorithm>
#include <limits>

namespace rebasin {
namespace {

std::vector<size_t> OutermostFirst(const Block& block, size_t slot) {
  std::vector<size_t> order;
  for (size_t s = 0; s < block.slots.size(); ++s) {
    if (s != slot) order.push_back(s);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    return SmallestStride(block.slots[x]) > SmallestStride(block.slots[y]);
  });
  return order;
}

}  // namespace

int64_t SmallestStride(const Slot& slot) {
  int64_t smallest = std::numeric_limits<int64_t>::max();
  for (const Dim& dim : slot.dims) smallest = std::min(smallest, dim.stride);
  return smallest;
}

ContractionIndex::ContractionIndex(const Block& block, int slot,
                                   std::span<const Contraction> contractions) {
  const auto unit = static_cast<size_t>(slot);
  for (size_t s : OutermostFirst(block, unit)) {
    slots_.push_back(&contractions[s < unit ? s : s - 1]);
    size_ *= static_cast<int64_t>(slots_.back()->a.size());
    difference_ = difference_ || !slots_.back()->b_before.empty();
  }
}

int64_t ContractionIndex::run() const {
  if (slots_.empty() || difference_) return 1;
  const Contraction& last = *slots_.back();
  for (size_t i = 1; i < last.a.size(); ++i) {
    if (last.a[i] != last.a[i - 1] + 1 || last.b[i] != last.b[i - 1] + 1) {
      return 1;
    }
  }
  return static_cast<int64_t>(last.a.size());
}

// Counts like an odometer, with the innermost slot in one loop: in small layers
// a division for each position would take longer than its products.
void ContractionIndex::Fill(int64_t begin, int64_t count) {
  a.assign(count, 0);
  b.assign(count, 0);
  before.assign(difference_ ? count : 0, 0);
  if (slots_.empty()) return;
  std::vector<size_t> at(slots_.size());
  for (size_t s = slots_.size(); s-- > 0;) {
    const auto size = static_cast<int64_t>(slots_[s]->a.size());
    at[s] = static_cast<size_t>(begin % size);
    begin /= size;
  }
  for (auto k = size_t{0}; k < a.size();) k += FillRun(at, k);
}

// Fills from position `at` to the end of the innermost slot; returns the number
// of positions and advances `at`.
size_t ContractionIndex::FillRun(std::vector<size_t>& at, size_t k) {
  Offset base;
  for (size_t s = 0; s + 1 < slots_.size(); ++s) base += At(s, at[s]);
  const size_t last = slots_.size() - 1;
  const size_t count =
      std::min(slots_[last]->a.size() - at[last], a.size() - k);
  for (size_t i = 0; i < count; ++i) {
    Offset offset = base;
    offset += At(last, at[last] + i);
    a[k + i] = offset.a;
    b[k + i] = offset.b;
    if (difference_) before[k + i] = offset.before;
  }
  at[last] = 0;
  for (size_t s = last; s-- > 0;) {
    if (++at[s] < slots_[s]->a.size()) break;
    at[s] = 0;
  }
  return count;
}

ContractionIndex::Offset ContractionIndex::At(size_t slot, size_t i) const {
  const Contraction& x = *slots_[slot];
  return {x.a[i], x.b[i], x.b_before.empty() ? x.b[i] : x.b_before[i]};
}

}  // namespace rebasin
