#include "match/soft/soft_siblings.h"

#include <algorithm>

#include "match/costs/sibling_kernel.h"

namespace rebasin {
namespace {

using Matrix = SoftSiblings::Matrix;

std::vector<int> GroupsOf(const Slot& slot) {
  std::vector<int> groups;
  for (const Dim& dim : slot.dims) groups.push_back(dim.group);
  return groups;
}

size_t DimOf(const Slot& slot, int group) {
  size_t d = 0;
  while (slot.dims[d].group != group) ++d;
  return d;
}

// For an array [before][n][after]: to[b][i] = sum of matrix[i][j] from[b][j].
// `after` must be a multiple of a SiblingWidth().
Matrix Multiplied(std::span<const float> matrix, int64_t n, const float* from,
                  int64_t before, int64_t after) {
  const int64_t width = SiblingWidth(n);
  Matrix transposed(n * width, 0.0f);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      transposed[j * width + i] = matrix[i * n + j];
    }
  }
  // The padding of one product adds zeros to the elements of the next one.
  Matrix to((before * n + width - n) * after, 0.0f);
  for (int64_t b = 0; b < before; ++b) {
    const float* block = from + b * n * after;
    AddSiblingProducts({.a = transposed.data(),
                        .b = {&block, 1},
                        .steps = n,
                        .rows = width,
                        .columns = after},
                       to.data() + b * n * after);
  }
  return to;
}

double Dot(std::span<const float> matrix, int64_t n, const Matrix& costs) {
  const int64_t width = SiblingWidth(n);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      sum += static_cast<double>(matrix[i * n + j]) * costs[i * width + j];
    }
  }
  return sum;
}

// The block as a dense array [slot][all others, padded].
Block SlotFirst(const Block& block, size_t slot, int64_t padded) {
  Block dense{.offset = 0, .slots = block.slots};
  int64_t stride = 1;
  const auto put = [&](Slot& s) {
    for (size_t d = s.dims.size(); d-- > 0;) {
      s.dims[d].stride = stride;
      stride *= s.dims[d].size;
    }
  };
  for (size_t s = dense.slots.size(); s-- > 0;) {
    if (s != slot) put(dense.slots[s]);
  }
  stride = padded;
  put(dense.slots[slot]);
  return dense;
}

Matrix GatherRows(const BlockView& from, int slot, int64_t padded) {
  const std::vector<int64_t> units = Offsets(from.block.slots[slot]);
  const std::vector<int64_t> steps = OffsetsOfOthers(from.block, slot);
  Matrix rows(static_cast<int64_t>(units.size()) * padded, 0.0f);
  for (size_t u = 0; u < units.size(); ++u) {
    float* row = rows.data() + static_cast<int64_t>(u) * padded;
    for (size_t s = 0; s < steps.size(); ++s) {
      row[s] = from.data[units[u] + steps[s]];
    }
  }
  return rows;
}

}  // namespace

void SoftSiblings::Add(std::span<const CostPart> parts) {
  for (const CostPart& part : parts) {
    if (!part.factors) continue;
    n_ = part.slot.dims[0].size;
    values_[GroupsOf(part.slot)].resize(n_ * n_);
    for (const Dim& dim : std::span(part.slot.dims).subspan(1)) {
      Sibling& sibling = inside_[dim.group];
      sibling.size = dim.size;
      sibling.matrices.resize(n_ * n_ * dim.size * dim.size,
                              1.0f / static_cast<float>(dim.size));
    }
  }
}

bool SoftSiblings::Meet(const Slot& slot) const {
  return values_.contains(GroupsOf(slot));
}

bool SoftSiblings::IsOne(const Slot& slot) const {
  return slot.dims.size() == 2 && inside_.contains(slot.dims[1].group);
}

bool SoftSiblings::Has(const CostPart& part, int group) const {
  if (!part.factors && !IsOne(part.slot)) return false;
  return std::any_of(part.slot.dims.begin(), part.slot.dims.end(),
                     [&](const Dim& dim) { return dim.group == group; });
}

void SoftSiblings::Soften(std::span<const CostPart> parts,
                          const Softener& soften, ThreadPool& pool,
                          Matrix& outer_costs) {
  pool.For(n_ * n_,
           [&](int64_t pair) { SoftenPair(parts, soften, pair, outer_costs); });
}

// The value of a part is computed along the group that comes last, when all of
// its matrices are new.
void SoftSiblings::SoftenPair(std::span<const CostPart> parts,
                              const Softener& soften, int64_t pair,
                              Matrix& outer_costs) {
  std::map<const CostPart*, double> values;
  for (auto& [group, sibling] : inside_) {
    const int64_t n = sibling.size, width = SiblingWidth(n);
    Matrix sum(width * width, 0.0f);
    std::map<const CostPart*, Matrix> costs;
    for (const CostPart& part : parts) {
      if (!Has(part, group)) continue;
      const Matrix& mine = costs[&part] = CostsAlong(part, group, pair);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += mine[i];
    }
    const Matrix soft = soften({.data = sum.data(), .n = n, .stride = width});
    std::copy(soft.begin(), soft.end(),
              sibling.matrices.begin() + pair * n * n);
    for (const auto& [part, mine] : costs) values[part] = Dot(soft, n, mine);
  }
  double all = 0;
  for (const CostPart& part : parts) {
    const auto found = values.find(&part);
    if (found == values.end()) continue;
    all += found->second;
    if (part.factors) values_.at(GroupsOf(part.slot))[pair] = found->second;
  }
  outer_costs[pair] += static_cast<float>(all);
}

// The costs of the group's units, with SiblingWidth() columns.
Matrix SoftSiblings::CostsAlong(const CostPart& part, int group,
                                int64_t pair) const {
  const size_t dim = DimOf(part.slot, group);
  const int64_t size = part.slot.dims[dim].size, width = SiblingWidth(size);
  const int64_t inner = part.n() / n_, i = pair / n_, j = pair % n_;
  Matrix costs(width * width, 0.0f);
  if (!part.factors) {
    for (int64_t x = 0; x < size; ++x) {
      const auto row =
          part.gram.begin() + (i * inner + x) * part.n() + j * inner;
      std::copy_n(row, size, costs.begin() + x * width);
    }
    return costs;
  }
  const Matrix b = Softened(part, dim, pair);
  const int64_t block = part.factors->block(dim), count = inner / size;
  std::vector<const float*> blocks;
  for (int64_t p = 0; p < count; ++p) blocks.push_back(b.data() + p * block);
  AddSiblingProducts({.a = part.factors->a(dim) + i * count * block,
                      .b = blocks,
                      .steps = part.factors->steps(),
                      .rows = width,
                      .columns = width},
                     costs.data());
  return costs;
}

// The elements of B inside the pair's outer unit, laid out along `dim`, with
// the soft matrices of all other groups applied.
Matrix SoftSiblings::Softened(const CostPart& part, size_t dim,
                              int64_t pair) const {
  const std::vector<Dim>& dims = part.slot.dims;
  const int64_t block = part.factors->block(dim);
  const int64_t count = part.n() / n_ / dims[dim].size;
  const float* from = part.factors->b(dim) + pair % n_ * count * block;
  Matrix softened(from, from + count * block);
  int64_t before = 1;
  for (size_t d = 1; d < dims.size(); ++d) {
    if (d == dim) continue;
    const int64_t after = count / before / dims[d].size * block;
    softened = Multiplied(inside_.at(dims[d].group).Of(pair), dims[d].size,
                          softened.data(), before, after);
    before *= dims[d].size;
  }
  return softened;
}

double SoftSiblings::ExpectedValue(const CostPart& part) const {
  const std::vector<double>& values = values_.at(GroupsOf(part.slot));
  double value = 0;
  for (size_t pair = 0; pair < values.size(); ++pair) {
    value += outer_[pair] * values[pair];
  }
  return value;
}

SoftBlock SoftSiblings::Mix(const BlockView& from, int slot,
                            ThreadPool& pool) const {
  const Slot& along = from.block.slots[slot];
  const int64_t padded = SiblingWidth(from.block.size() / along.size());
  const Matrix units = GatherRows(from, slot, padded);
  SoftBlock mixed{.block = SlotFirst(from.block, slot, padded),
                  .values = Matrix(units.size(), 0.0f)};
  const int64_t unit = static_cast<int64_t>(units.size()) / n_;
  pool.For(n_, [&](int64_t i) {
    MixUnit(along, units, i, std::span(mixed.values).subspan(i * unit, unit));
  });
  return mixed;
}

// Computes one outer unit of the result.
void SoftSiblings::MixUnit(const Slot& slot, std::span<const float> units,
                           int64_t row, std::span<float> out) const {
  const auto unit = static_cast<int64_t>(out.size());
  for (int64_t j = 0; j < n_; ++j) {
    const int64_t pair = row * n_ + j;
    const float* from = units.data() + j * unit;
    Matrix mixed(from, from + unit);
    int64_t before = 1;
    for (const Dim& dim : std::span(slot.dims).subspan(1)) {
      mixed = Multiplied(inside_.at(dim.group).Of(pair), dim.size, mixed.data(),
                         before, unit / before / dim.size);
      before *= dim.size;
    }
    for (int64_t e = 0; e < unit; ++e) out[e] += outer_[pair] * mixed[e];
  }
}

}  // namespace rebasin
