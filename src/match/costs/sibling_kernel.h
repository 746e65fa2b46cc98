// Sums of many small matrix products, for the instruction set in use.

#ifndef REBASIN_MATCH_COSTS_SIBLING_KERNEL_H_
#define REBASIN_MATCH_COSTS_SIBLING_KERNEL_H_

#include <cstdint>
#include <span>

namespace rebasin {

// The padded width of rows of `units` elements.
int64_t SiblingWidth(int64_t units);

// c[x][y] += sum over blocks p and steps k of a[p][k][x] * b[p][k][y]. Block p
// starts at a + p * steps * rows and at b[p]; c has `rows` rows of `columns`.
struct SiblingProducts {
  const float* a = nullptr;
  std::span<const float* const> b;
  int64_t steps = 0;
  // Both are results of SiblingWidth(); `rows` may be a multiple of one.
  int64_t rows = 0, columns = 0;
};

void AddSiblingProducts(const SiblingProducts& products, float* c);

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_SIBLING_KERNEL_H_
