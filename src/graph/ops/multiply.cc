#include "graph/ops/multiply.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace rebasin {
namespace {

// c is made in blocks of 4 x 8 that stay in registers while they grow by
// kDepth products; the strip of b that they share (kDepth x 8, copied to lie
// together, with zeros beyond b's last column) stays in the first cache.
constexpr int64_t kRows = 4;
constexpr int64_t kColumns = 8;
constexpr int64_t kDepth = 256;

using Lanes = double __attribute__((vector_size(kColumns * sizeof(double))));

void CopyStrip(const double* b, int64_t n, int64_t depth, int64_t columns,
               double* strip) {
  for (int64_t p = 0; p < depth; ++p) {
    std::copy_n(b + p * n, columns, strip + p * kColumns);
    std::fill_n(strip + p * kColumns + columns, kColumns - columns, 0.0);
  }
}

// Four rows of c, named one by one so that the compiler keeps them in
// registers.
__attribute__((target_clones("arch=skylake-avx512", "arch=haswell",
                             "default"))) void
GrowBlock(const double* a, int64_t k, int64_t depth, const double* strip,
          int64_t columns, double* c, int64_t stride) {
  Lanes sum0 = {}, sum1 = {}, sum2 = {}, sum3 = {};
  for (int64_t p = 0; p < depth; ++p) {
    Lanes row;
    std::memcpy(&row, strip + p * kColumns, sizeof row);
    sum0 += a[p] * row;
    sum1 += a[k + p] * row;
    sum2 += a[2 * k + p] * row;
    sum3 += a[3 * k + p] * row;
  }
  for (int64_t j = 0; j < columns; ++j) {
    c[j] += sum0[j];
    c[stride + j] += sum1[j];
    c[2 * stride + j] += sum2[j];
    c[3 * stride + j] += sum3[j];
  }
}

// Too few rows to be worth copying b.
__attribute__((target_clones("arch=skylake-avx512", "arch=haswell",
                             "default"))) void
AddRow(int64_t n, int64_t k, const double* a, const double* b, double* c) {
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
