// Many small products of matrices added up, for the processor at hand.

#ifndef REBASIN_MATCH_COSTS_SIBLING_KERNEL_H_
#define REBASIN_MATCH_COSTS_SIBLING_KERNEL_H_

#include <cstdint>
#include <span>

namespace rebasin {

// How wide rows of `units` elements are, with the padding that vectors need.
int64_t SiblingWidth(int64_t units);

// c[x][y] += sum over blocks p and steps k of a[p][k][x] * b[p][k][y]. Block p
// lies at a + p * steps * rows and at b[p]; c has `rows` rows of `columns`.
struct SiblingProducts {
  const float* a = nullptr;
  std::span<const float* const> b;
  int64_t steps = 0;
  // A SiblingWidth(), and a multiple of one.
  int64_t rows = 0, columns = 0;
};

void AddSiblingProducts(const SiblingProducts& products, float* c);

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_SIBLING_KERNEL_H_
