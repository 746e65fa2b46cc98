#include "tensor/convert_f16.h"

#include <bit>
#include <cstddef>

#include "tensor/convert.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace rebasin {
namespace {

constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t kFloatInfinity = 0x7F800000;
constexpr uint32_t kQuietBit = 0x400000;
// 2^-14, the smallest normal half, and 65520, the first float that rounds to
// infinity.
constexpr uint32_t kSmallestNormal = 0x38800000;
constexpr uint32_t kFirstInfinite = 0x477FF000;
// The difference between the exponent biases is 112.
constexpr uint32_t kRebias = 112u << 23;

// Adding 0.5 to a float below 2^-14 rounds it to a multiple of 2^-24, the
// spacing of half subnormals, and leaves the multiple in the low bits.
uint32_t RoundSubnormal(uint32_t magnitude) {
  const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
  return std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f);
}

uint32_t RoundNormal(uint32_t magnitude) {
  const uint32_t odd = (magnitude >> 13) & 1;
  return (magnitude - kRebias + 0xFFF + odd) >> 13;
}

uint32_t NanToF16(uint32_t magnitude) {
  return 0x7E00 | ((magnitude >> 13) & 0x3FF);
}

#ifdef __x86_64__
constexpr size_t kLanes = 8;

// Uses cpuid, because Clang 14 has no name for this feature.
bool CpuHasF16C() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

bool HasF16C() {
  static const bool has = __builtin_cpu_supports("avx") && CpuHasF16C();
  return has;
}

// Return the number of converted elements; only whole vectors are converted.
__attribute__((target("avx,f16c"))) size_t F16sToFloatsByF16C(
    std::span<const uint16_t> in, std::span<float> out) {
  size_t i = 0;
  for (; i + kLanes <= in.size(); i += kLanes) {
    const __m128i halves =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(&in[i]));
    _mm256_storeu_ps(&out[i], _mm256_cvtph_ps(halves));
  }
  return i;
}

__attribute__((target("avx,f16c"))) size_t FloatsToF16sByF16C(
    std::span<const float> in, std::span<uint16_t> out) {
  size_t i = 0;
  for (; i + kLanes <= in.size(); i += kLanes) {
    const __m128i halves =
        _mm256_cvtps_ph(_mm256_loadu_ps(&in[i]), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&out[i]), halves);
  }
  return i;
}
#endif

}  // namespace

float F16ToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(half & 0x7FFF) << 13;
  if (magnitude < (0x400u << 13)) {  // zero or subnormal: count of 2^-24
    const float value = static_cast<float>(magnitude >> 13) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
  }
  if (magnitude < (0x7C00u << 13)) {
    return std::bit_cast<float>(sign | (magnitude + kRebias));
  }
  const uint32_t payload = magnitude & 0x7FFFFF;
  const uint32_t quiet = payload == 0 ? 0 : kQuietBit;
  return std::bit_cast<float>(sign | kFloatInfinity | payload | quiet);
}

uint16_t FloatToF16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & ~kSign;
  const uint32_t half = magnitude > kFloatInfinity    ? NanToF16(magnitude)
                        : magnitude >= kFirstInfinite ? 0x7C00
                        : magnitude < kSmallestNormal
                            ? RoundSubnormal(magnitude)
                            : RoundNormal(magnitude);
  return static_cast<uint16_t>(half | (bits & kSign) >> 16);
}

void F16sToFloats(std::span<const uint16_t> in, std::span<float> out) {
  size_t i = 0;
#ifdef __x86_64__
  if (HasF16C()) i = F16sToFloatsByF16C(in, out);
#endif
  for (; i < in.size(); ++i) out[i] = F16ToFloat(in[i]);
}

void FloatsToF16s(std::span<const float> in, std::span<uint16_t> out) {
  size_t i = 0;
#ifdef __x86_64__
  if (HasF16C()) i = FloatsToF16sByF16C(in, out);
#endif
  for (; i < in.size(); ++i) out[i] = FloatToF16(in[i]);
}

}  // namespace rebasin
