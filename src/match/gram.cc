#include "match/gram.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <limits>
#include <numeric>

#include "match/gather.h"
#include "tensor/gemm.h"

namespace rebasin {
namespace {

// Offsets of so many contracted positions are held at a time.
constexpr int64_t kMostSteps = int64_t{1} << 18;

int64_t SmallestStride(const Slot& slot) {
  int64_t smallest = std::numeric_limits<int64_t>::max();
  for (const Dim& dim : slot.dims) smallest = std::min(smallest, dim.stride);
  return smallest;
}

// The other slots, outermost in memory first, so that the combined index runs
// through memory.
std::vector<size_t> ContractionOrder(const Block& block, size_t slot) {
  std::vector<size_t> order;
  for (size_t s = 0; s < block.slots.size(); ++s) {
    if (s != slot) order.push_back(s);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    return SmallestStride(block.slots[x]) > SmallestStride(block.slots[y]);
  });
  return order;
}

// The combined index over all contracted slots, produced piece by piece.
class ContractionIndex {
 public:
  ContractionIndex(std::span<const Contraction> contractions,
                   const std::vector<size_t>& order, size_t slot) {
    for (size_t s : order) {
      // Contractions are listed without the unit slot itself.
      slots_.push_back(&contractions[s < slot ? s : s - 1]);
      size_ *= static_cast<int64_t>(slots_.back()->a.size());
      difference_ = difference_ || !slots_.back()->b_before.empty();
    }
  }

  int64_t size() const { return size_; }

  // The positions [begin, begin + count). Steps like an odometer: dividing for
  // each position would cost more than its products in small layers.
  void Fill(int64_t begin, int64_t count) {
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

  std::vector<int64_t> a, b, before;

 private:
  void FillOne(const std::vector<int64_t>& at, int64_t k) {
    int64_t offset_a = 0, offset_b = 0;
    for (size_t s = 0; s < slots_.size(); ++s) {
      offset_a += slots_[s]->a[at[s]];
      offset_b += slots_[s]->b[at[s]];
    }
    a[k] = offset_a;
    b[k] = offset_b;
    if (difference_) before[k] = OffsetBefore(at);
  }

  int64_t OffsetBefore(const std::vector<int64_t>& at) const {
    int64_t offset = 0;
    for (size_t s = 0; s < slots_.size(); ++s) {
      const Contraction& slot = *slots_[s];
      offset += slot.b_before.empty() ? slot.b[at[s]] : slot.b_before[at[s]];
    }
    return offset;
  }

  void Advance(std::vector<int64_t>& at) const {
    for (size_t s = at.size(); s-- > 0;) {
      if (++at[s] < static_cast<int64_t>(slots_[s]->a.size())) return;
      at[s] = 0;
    }
  }

  std::vector<const Contraction*> slots_;
  int64_t size_ = 1;
  bool difference_ = false;
};

// A term without other slots (a bias) is an outer product, which GEMM's set-up
// would dwarf.
void AddOuterProduct(const Term& term, std::span<const int64_t> units,
                     std::span<float> gram) {
  const size_t n = units.size();
  for (size_t i = 0; i < n; ++i) {
    const float a = term.a[units[i]];
    for (size_t j = 0; j < n; ++j) gram[i * n + j] += a * term.b[units[j]];
  }
}

}  // namespace

void GramBuilder::Accumulate(const Term& term, int slot,
                             std::span<const Contraction> contractions,
                             std::span<float> gram) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<int64_t> units = Offsets(term.block.slots[slot]);
  const auto n = static_cast<int64_t>(units.size());
  assert(static_cast<int64_t>(gram.size()) == n * n);
  if (contractions.empty()) return AddOuterProduct(term, units, gram);

  ContractionIndex index(contractions, ContractionOrder(term.block, slot),
                         slot);
  for (int64_t begin = 0; begin < index.size(); begin += kMostSteps) {
    const int64_t count = std::min(kMostSteps, index.size() - begin);
    index.Fill(begin, count);
    GemmAdd(pool_, {.m = n, .n = n, .k = count},
            PackGathered({.data = term.a, .units = units, .steps = index.a}),
            PackGathered({.data = term.b,
                          .units = units,
                          .steps = index.b,
                          .subtracted = index.before}),
            gram.data(), n);
  }
  flops_ +=
      2.0 * static_cast<double>(n * n) * static_cast<double>(index.size());
  seconds_ +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
}

}  // namespace rebasin
