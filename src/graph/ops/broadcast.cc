#include "graph/ops/broadcast.h"

#include <algorithm>

#include "base/checked.h"

namespace rebasin {

Shape BroadcastShapes(const OpContext& context, const Shape& a,
                      const Shape& b) {
  Shape result = a.size() >= b.size() ? a : b;
  const Shape& other = a.size() >= b.size() ? b : a;
  const size_t shift = result.size() - other.size();
  for (size_t i = 0; i < other.size(); ++i) {
    int64_t& size = result[shift + i];
    if (size != other[i] && size != 1 && other[i] != 1) {
      throw context.Bad("shapes " + ShapeText(a) + " and " + ShapeText(b) +
                        " do not fit each other");
    }
    if (size == 1) size = other[i];
  }
  return result;
}

std::vector<int64_t> BroadcastOffsets(const Shape& from, const Shape& to) {
  const size_t shift = to.size() - from.size();
  std::vector<int64_t> offsets = {0};
  int64_t stride = 1;
  // From the innermost axis outwards: the offsets of one more axis are those
  // of the axes within it, repeated at each of its steps.
  for (size_t axis = to.size(); axis-- > 0;) {
    const bool present = axis >= shift && from[axis - shift] != 1;
    const int64_t step = present ? stride : 0;
    if (axis >= shift) stride *= from[axis - shift];
    std::vector<int64_t> outer;
    outer.reserve(offsets.size() * to[axis]);
    for (int64_t i = 0; i < to[axis]; ++i) {
      for (int64_t offset : offsets) outer.push_back(i * step + offset);
    }
    offsets = std::move(outer);
  }
  return offsets;
}

// Four rows of c at a time, so that each element of b that is read is used
// four times; the inner loop is left to the compiler's vectoriser.
__attribute__((target_clones("avx512f", "avx2", "default"))) void MultiplyAdd(
    int64_t m, int64_t n, int64_t k, const double* a, const double* b,
    double* c) {
  constexpr int64_t kRows = 4;
  for (int64_t i = 0; i < m; i += kRows) {
    const int64_t rows = std::min(kRows, m - i);
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t r = 0; r < rows; ++r) {
        const double factor = a[(i + r) * k + p];
        double* out = c + (i + r) * n;
        for (int64_t j = 0; j < n; ++j) out[j] += factor * b[p * n + j];
      }
    }
  }
}

}  // namespace rebasin
