#include "match/contraction.h"

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

// Steps like an odometer: dividing for each position would cost more than its
// products in small layers.
void ContractionIndex::Fill(int64_t begin, int64_t count) {
  a.resize(count);
  b.resize(count);
  before.resize(difference_ ? count : 0);
  std::vector<int64_t> at(slots_.size());
  for (size_t s = slots_.size(); s-- > 0;) {
    const auto size = static_cast<int64_t>(slots_[s]->a.size());
    at[s] = begin % size;
    begin /= size;
  }
  for (int64_t k = 0; k < count; ++k) {
    FillOne(at, k);
    Advance(at);
  }
}

void ContractionIndex::FillOne(const std::vector<int64_t>& at, int64_t k) {
  int64_t offset_a = 0, offset_b = 0;
  for (size_t s = 0; s < slots_.size(); ++s) {
    offset_a += slots_[s]->a[at[s]];
    offset_b += slots_[s]->b[at[s]];
  }
  a[k] = offset_a;
  b[k] = offset_b;
  if (difference_) before[k] = OffsetBefore(at);
}

int64_t ContractionIndex::OffsetBefore(const std::vector<int64_t>& at) const {
  int64_t offset = 0;
  for (size_t s = 0; s < slots_.size(); ++s) {
    const Contraction& slot = *slots_[s];
    offset += slot.b_before.empty() ? slot.b[at[s]] : slot.b_before[at[s]];
  }
  return offset;
}

void ContractionIndex::Advance(std::vector<int64_t>& at) const {
  for (size_t s = at.size(); s-- > 0;) {
    if (++at[s] < static_cast<int64_t>(slots_[s]->a.size())) return;
    at[s] = 0;
  }
}

}  // namespace rebasin
