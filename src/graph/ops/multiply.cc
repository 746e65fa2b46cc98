#include "graph/ops/multiply.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/target_clones.h"

namespace rebasin {
namespace {

// c is computed in blocks of 4 x 8 that stay in registers while kDepth products
// are added. The strip of b that they share (kDepth x 8, copied to be
// contiguous and padded with zeros beyond b's last column) stays in the L1
// cache.
constexpr int64_t kRows = 4;
constexpr int64_t kColumns = 8;
constexpr int64_t kDepth = 256;

// Half a row of a block. Wider vectors are not faster: eight of these fill the
// processor's pipelines, and they also fit the registers of older processors.
using Lanes = double __attribute__((vector_size(32)));
constexpr int64_t kLanes = 4;

void CopyStrip(const double* b, int64_t n, int64_t depth, int64_t columns,
               double* strip) {
  for (int64_t p = 0; p < depth; ++p) {
    std::copy_n(b + p * n, columns, strip + p * kColumns);
    std::fill_n(strip + p * kColumns + columns, kColumns - columns, 0.0);
  }
}

// The loops over rows have a fixed length, so that the compiler unrolls them
// and keeps the sums in registers.
REBASIN_TARGET_CLONES("fma", "default")
void GrowBlock(const double* a, int64_t k, int64_t depth, const double* strip,
               int64_t columns, double* c, int64_t stride) {
  Lanes left[kRows] = {}, right[kRows] = {};
  for (int64_t p = 0; p < depth; ++p) {
    Lanes b_left, b_right;
    std::memcpy(&b_left, strip + p * kColumns, sizeof b_left);
    std::memcpy(&b_right, strip + p * kColumns + kLanes, sizeof b_right);
    for (int64_t r = 0; r < kRows; ++r) {
      left[r] += a[r * k + p] * b_left;
      right[r] += a[r * k + p] * b_right;
    }
  }
  double sums[kRows][kColumns];
  for (int64_t r = 0; r < kRows; ++r) {
    std::memcpy(sums[r], &left[r], sizeof left[r]);
    std::memcpy(sums[r] + kLanes, &right[r], sizeof right[r]);
    for (int64_t j = 0; j < columns; ++j) c[r * stride + j] += sums[r][j];
  }
}

// For so few rows that copying b is not worthwhile.
REBASIN_TARGET_CLONES("fma", "default")
void AddRow(int64_t n, int64_t k, const double* a, const double* b, double* c) {
  for (int64_t p = 0; p < k; ++p) {
    for (int64_t j = 0; j < n; ++j) c[j] += a[p] * b[p * n + j];
  }
}

}  // namespace

void MultiplyAdd(int64_t m, int64_t n, int64_t k, const double* a,
                 const double* b, double* c, int64_t stride) {
  const int64_t blocked = m - m % kRows;
  for (int64_t i = blocked; i < m; ++i) {
    AddRow(n, k, a + i * k, b, c + i * stride);
  }
  if (blocked == 0) return;
  std::vector<double> strip(kDepth * kColumns);
  for (int64_t p = 0; p < k; p += kDepth) {
    const int64_t depth = std::min(kDepth, k - p);
    for (int64_t j = 0; j < n; j += kColumns) {
      const int64_t columns = std::min(kColumns, n - j);
      CopyStrip(b + p * n + j, n, depth, columns, strip.data());
      for (int64_t i = 0; i < blocked; i += kRows) {
        GrowBlock(a + i * k + p, k, depth, strip.data(), columns,
                  c + i * stride + j, stride);
      }
    }
  }
}

}  // namespace rebasin
