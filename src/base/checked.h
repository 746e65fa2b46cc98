// Integer arithmetic on numbers from files. Overflow gives std::nullopt instead
// of wrapping.

#ifndef REBASIN_BASE_CHECKED_H_
#define REBASIN_BASE_CHECKED_H_

#include <cstdint>
#include <optional>
#include <span>

namespace rebasin {

inline std::optional<int64_t> CheckedMul(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

inline std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// The product of non-negative factors. A zero factor gives zero even if the
// others overflow.
inline std::optional<int64_t> CheckedProduct(std::span<const int64_t> factors) {
  for (int64_t factor : factors) {
    if (factor == 0) return 0;
  }
  int64_t product = 1;
  for (int64_t factor : factors) {
    const auto next = CheckedMul(product, factor);
    if (!next) return std::nullopt;
    product = *next;
  }
  return product;
}

}  // namespace rebasin

#endif  // REBASIN_BASE_CHECKED_H_
