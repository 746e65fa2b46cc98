// Inner products of floats, summed in double.
//
// A product of two floats is exact in double, and sums are taken in a fixed
// number of lanes: every instruction set gives the same bits.

#ifndef REBASIN_TENSOR_INNER_PRODUCT_H_
#define REBASIN_TENSOR_INNER_PRODUCT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/moments.h"

namespace rebasin {

// How a and b, of one length, lie to each other.
Moments Measure(std::span<const float> a, std::span<const float> b);

// Runs of `length` floats that lie together in memory: run r starts at
// a + a_at[r] and is multiplied with the one at b + b_at[r].
struct ProductRuns {
  const float* a = nullptr;
  const float* b = nullptr;
  std::span<const int64_t> a_at, b_at;
  size_t length = 0;
};

// How the runs lie to each other.
Moments MeasureRuns(const ProductRuns& runs);

// Partial sums; their total is the inner product.
using ProductSums = std::array<double, 16>;

void AddProducts(const ProductRuns& runs, ProductSums& sums);

}  // namespace rebasin

#endif  // REBASIN_TENSOR_INNER_PRODUCT_H_
