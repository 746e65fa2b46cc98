// A part of the costs of a group tree.

#ifndef REBASIN_MATCH_COSTS_COST_WINDOW_H_
#define REBASIN_MATCH_COSTS_COST_WINDOW_H_

#include <cstdint>
#include <span>

#include "match/costs/cost_part.h"
#include "symmetry/layout.h"

namespace rebasin {

// The costs over the groups of `dims` for a given pair of outer units.
struct CostWindow {
  std::span<const Dim> dims;
  // In a matrix: the first entry and the row stride.
  const float* data = nullptr;
  int64_t stride = 0;
  // In factors: the first indices in A and B, and the number of fixed
  // dimensions.
  const SiblingFactors* factors = nullptr;
  int64_t row = 0, column = 0;
  size_t chosen = 0;

  int64_t n() const {
    int64_t size = 1;
    for (const Dim& dim : dims) size *= dim.size;
    return size;
  }

  // The window for units i and j of the first dimension.
  CostWindow Inside(int64_t i, int64_t j) const {
    CostWindow inner = *this;
    inner.dims = dims.subspan(1);
    const int64_t size = inner.n();
    inner.row += i * size;
    inner.column += j * size;
    inner.chosen += 1;
    if (factors == nullptr) inner.data += i * size * stride + j * size;
    return inner;
  }
};

inline CostWindow WholeWindow(const CostPart& part) {
  return {.dims = part.slot.dims,
          .data = part.gram.data(),
          .stride = part.n(),
          .factors = part.factors ? &*part.factors : nullptr};
}

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_COST_WINDOW_H_
