#include "match/soft/soft_term.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

namespace rebasin {
namespace {

// Reads a block slot by slot and adds `factor` times each element to the next
// element of `out`.
class Gatherer {
 public:
  // `tables` holds the offset of each index of each slot.
  Gatherer(const std::vector<std::vector<int64_t>>& tables, float factor)
      : tables_(tables), factor_(factor) {
    const std::vector<int64_t>& last = tables.back();
    for (size_t i = 1; i < last.size(); ++i) {
      dense_ = dense_ && last[i] == last[i - 1] + 1;
    }
  }

  // Reads `count` indices of the first slot, from `begin` on.
  void Add(const float* data, int64_t begin, int64_t count, float* out) const {
    if (tables_.size() == 1) {
      AddLast(data, static_cast<size_t>(begin), static_cast<size_t>(count),
              out);
      return;
    }
    for (int64_t i = begin; i < begin + count; ++i) {
      out = AddSlot(1, data + tables_[0][i], out);
    }
  }

 private:
  float* AddSlot(size_t slot, const float* data, float* out) const {
    if (slot + 1 == tables_.size()) {
      return AddLast(data, 0, tables_[slot].size(), out);
    }
    for (const int64_t offset : tables_[slot]) {
      out = AddSlot(slot + 1, data + offset, out);
    }
    return out;
  }

  float* AddLast(const float* data, size_t begin, size_t count,
                 float* out) const {
    const int64_t* at = tables_.back().data() + begin;
    if (dense_) {
      const float* from = data + at[0];
      for (size_t i = 0; i < count; ++i) out[i] += factor_ * from[i];
    } else {
      for (size_t i = 0; i < count; ++i) out[i] += factor_ * data[at[i]];
    }
    return out + count;
  }

  const std::vector<std::vector<int64_t>>& tables_;
  float factor_;
  bool dense_ = true;
};

// For an array [outer][size][inner]: adds `factor` times the mean over the
// middle index to all of its positions.
void AddMean(const std::vector<float>& from, int64_t size, int64_t inner,
             double factor, std::vector<float>& to) {
  const auto total = static_cast<int64_t>(from.size());
  std::vector<double> mean(inner);
  for (int64_t base = 0; base < total; base += size * inner) {
    std::fill(mean.begin(), mean.end(), 0.0);
    for (int64_t i = 0; i < size * inner; ++i) {
      mean[i % inner] += from[base + i];
    }
    for (double& x : mean) x *= factor / static_cast<double>(size);
    for (int64_t i = 0; i < size * inner; ++i) {
      to[base + i] += static_cast<float>(mean[i % inner]);
    }
  }
}

bool Has(SoftTerm::SlotSet set, int slot) { return ((set >> slot) & 1) != 0; }

}  // namespace

Block DenseBlock(const Block& block) {
  Block dense{.offset = 0, .slots = block.slots};
  int64_t stride = 1;
  for (size_t s = dense.slots.size(); s-- > 0;) {
    std::vector<Dim>& dims = dense.slots[s].dims;
    for (size_t d = dims.size(); d-- > 0;) {
      dims[d].stride = stride;
      stride *= dims[d].size;
    }
  }
  return dense;
}

SoftTerm::SoftTerm(const Block& block, const float* data,
                   const Alignment& alignment, double softness)
    : block_(DenseBlock(block)), rows_(block.slots[0].size()) {
  const int slots = PermutableSlots(block);
  assert(slots > 0);
  softened_.resize(size_t{1} << slots);
  softened_[0].assign(static_cast<size_t>(block.size()), 0.0f);
  Tables original;
  for (const Slot& slot : block.slots) original.push_back(Offsets(slot));
  Gatherer(original, 1).Add(data, 0, rows_, softened_[0].data());
  for (int slot = 0; slot < slots; ++slot) {
    for (SlotSet before = 0; before < SlotSet{1} << slot; ++before) {
      SoftenSlot(slot, before, alignment, softness);
    }
  }
}

int64_t SoftTerm::row_size() const {
  return static_cast<int64_t>(softened_[0].size()) / rows_;
}

// Computes the set `before` + `slot` from the set `before`.
void SoftTerm::SoftenSlot(int slot, SlotSet before, const Alignment& alignment,
                          double softness) {
  const std::vector<float>& from = softened_[before];
  const SlotSet bit = SlotSet{1} << slot;
  std::vector<float>& to = softened_[before | bit];
  to.assign(from.size(), 0.0f);
  if (softness < 1) {
    Gatherer(Where(bit, alignment), static_cast<float>(1 - softness))
        .Add(from.data(), 0, rows_, to.data());
  }
  if (softness <= 0) return;
  const Slot& mixed = block_.slots[slot];
  AddMean(from, mixed.size(), mixed.dims.back().stride, softness, to);
}

SoftTerm::Tables SoftTerm::Where(SlotSet set,
                                 const Alignment& alignment) const {
  Tables tables;
  for (size_t s = 0; s < block_.slots.size(); ++s) {
    const Slot& slot = block_.slots[s];
    tables.push_back(Has(set, static_cast<int>(s)) ? Offsets(slot, alignment)
                                                   : Offsets(slot));
  }
  return tables;
}

void SoftTerm::StepCoefficients(
    const Alignment& alignment, int64_t begin, int64_t count,
    std::vector<std::vector<float>>& coefficients) const {
  const int slots = std::popcount(all());
  coefficients.resize(slots + 1);
  for (auto& v : coefficients) v.assign(count * row_size(), 0.0f);
  for (SlotSet soft = 0; soft <= all(); ++soft) {
    Gatherer(Where(all() & ~soft, alignment), 1)
        .Add(softened_[soft].data(), begin, count,
             coefficients[slots - std::popcount(soft)].data());
  }
}

// The new state of a set is computed from the old states of its subsets, which
// have smaller numbers; so the largest set comes first.
void SoftTerm::Step(const Alignment& alignment, double t) {
  for (SlotSet set = all(); set > 0; --set) {
    const int slots = std::popcount(set);
    const auto keep = static_cast<float>(std::pow(1 - t, slots));
    for (float& x : softened_[set]) x *= keep;
    for (SlotSet soft = 0; soft < set; ++soft) {
      if ((soft & ~set) != 0) continue;
      const int soft_slots = std::popcount(soft);
      const double factor =
          std::pow(1 - t, soft_slots) * std::pow(t, slots - soft_slots);
      if (factor == 0) continue;
      Gatherer(Where(set & ~soft, alignment), static_cast<float>(factor))
          .Add(softened_[soft].data(), 0, rows_, softened_[set].data());
    }
  }
}

}  // namespace rebasin
