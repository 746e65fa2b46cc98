// Inner products of floats, summed in double. Elements of other types are
// converted to floats as they are read.
//
// The product of two floats is exact in double, and sums use a fixed number of
// lanes, so every instruction set gives the same bits.

#ifndef REBASIN_TENSOR_INNER_PRODUCT_H_
#define REBASIN_TENSOR_INNER_PRODUCT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/elements.h"
#include "tensor/moments.h"

namespace rebasin {

// The norms and the inner product of a and b, which have the same length.
Moments Measure(std::span<const float> a, std::span<const float> b);
// The same for `count` elements of any type.
Moments Measure(const Elements& a, const Elements& b, size_t count);

// Runs of `length` consecutive elements: run r starts at a + a_at[r] and is
// multiplied with the run at b + b_at[r].
struct ProductRuns {
  Elements a, b;
  std::span<const int64_t> a_at, b_at;
  size_t length = 0;
};

// The norms and the inner product over all runs.
Moments MeasureRuns(const ProductRuns& runs);

// Partial sums; their total is the inner product.
using ProductSums = std::array<double, 16>;

void AddProducts(const ProductRuns& runs, ProductSums& sums);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_INNER_PRODUCT_H_
