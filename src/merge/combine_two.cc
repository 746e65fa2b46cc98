#include "merge/combine_two.h"

#include <algorithm>
#include <cstdint>

namespace rebasin {
namespace {

constexpr size_t kPiece = 4096;
constexpr size_t kLanes = 16;

bool IsAligned(const void* bytes) {
  return reinterpret_cast<uintptr_t>(bytes) % alignof(float) == 0;
}

float Sum(float a, float b, double wa, double wb) {
  return static_cast<float>(wa * static_cast<double>(a) +
                            wb * static_cast<double>(b));
}

// x * 0 is 0 unless x is not finite, so the check needs no branch in the loop.
bool SumPiece(const float* __restrict a, const float* __restrict b, double wa,
              double wb, size_t count, float* __restrict out) {
  std::array<float, kLanes> bad = {};
  const size_t whole = count / kLanes * kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) {
      out[i + l] = Sum(a[i + l], b[i + l], wa, wb);
      bad[l] += out[i + l] * 0.0f;
    }
  }
  for (size_t i = whole; i < count; ++i) {
    out[i] = Sum(a[i], b[i], wa, wb);
    bad[0] += out[i] * 0.0f;
  }
  return std::all_of(bad.begin(), bad.end(), [](float x) { return x == 0; });
}

}  // namespace

bool CombineTwo(std::span<const std::byte> a, std::span<const std::byte> b,
                std::array<double, 2> weights, std::span<std::byte> out) {
  if (!IsAligned(a.data()) || !IsAligned(b.data()) || !IsAligned(out.data())) {
    return false;
  }
  const auto* x = reinterpret_cast<const float*>(a.data());
  const auto* y = reinterpret_cast<const float*>(b.data());
  auto* sum = reinterpret_cast<float*>(out.data());
  const size_t size = out.size() / sizeof(float);
  for (size_t at = 0; at < size; at += kPiece) {
    const size_t count = std::min(kPiece, size - at);
    if (!SumPiece(x + at, y + at, weights[0], weights[1], count, sum + at)) {
      return false;
    }
  }
  return true;
}

}  // namespace rebasin
