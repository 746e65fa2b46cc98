// A message is a polynomial over the bits 0 and 1, and its checksum is the
// remainder modulo a polynomial P of degree 32. So 128 bits a can be replaced
// by others with the same remainder, D bits further on:
//
//   a x^D = high x^(D+64) + low x^D = high (x^(D+64) mod P) + low (x^D mod P)
//
// The processor multiplies such polynomials in one instruction (Gopal et al.,
// "Fast CRC computation for generic polynomials using PCLMULQDQ"). zlib, whose
// tables take about three times as long, processes the rest.

#include "io/crc32.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace rebasin {
namespace {

uint32_t CrcByTables(std::span<const std::byte> bytes, uint32_t crc) {
  if (bytes.empty()) return crc;  // zlib resets the checksum for empty input
  return static_cast<uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

#ifdef __x86_64__

// The lowest bit is the highest power, in transmission order.
constexpr uint32_t kPolynomial = 0xEDB88320;

// x^n mod P, shifted by one, because products of polynomials in this bit order
// come out one bit too low.
constexpr uint64_t PowerOfX(int n) {
  uint32_t power = 0x80000000;
  for (int i = 0; i < n; ++i) {
    power = (power >> 1) ^ ((power & 1) != 0 ? kPolynomial : 0);
  }
  return static_cast<uint64_t>(power) << 1;
}

// Moves 128 bits by `n` bits. The product of 64 bits and a 32-bit remainder
// ends 32 bits before those 128 do.
struct Shift {
  uint64_t high, low;
};
constexpr Shift ShiftBy(int bits) {
  return {PowerOfX(bits + 32), PowerOfX(bits - 32)};
}

constexpr size_t kLane = 16;
constexpr size_t kLanes = 4;  // number of independent products
constexpr size_t kStep = kLane * kLanes;
constexpr Shift kByStep = ShiftBy(8 * kStep), kByLane = ShiftBy(8 * kLane);

#define REBASIN_CLMUL __attribute__((target("pclmul,sse4.1")))
#define REBASIN_WIDE_CLMUL \
  __attribute__((target("pclmul,sse4.1,avx512f,vpclmulqdq")))

REBASIN_CLMUL inline __m128i Factor(const Shift& shift) {
  return _mm_set_epi64x(static_cast<int64_t>(shift.low),
                        static_cast<int64_t>(shift.high));
}

REBASIN_CLMUL inline __m128i Load(const std::byte* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

// `lane`, moved, plus the data at its new position.
REBASIN_CLMUL inline __m128i Fold(__m128i lane, __m128i factor, __m128i there) {
  const __m128i high = _mm_clmulepi64_si128(lane, factor, 0x00);
  const __m128i low = _mm_clmulepi64_si128(lane, factor, 0x11);
  return _mm_xor_si128(_mm_xor_si128(high, low), there);
}

// Requires whole lanes, at least one step.
REBASIN_CLMUL uint32_t CrcByProducts(std::span<const std::byte> bytes,
                                     uint32_t crc) {
  __m128i lanes[kLanes];
  for (size_t i = 0; i < kLanes; ++i) lanes[i] = Load(&bytes[i * kLane]);
  lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int>(~crc)));
  size_t at = kStep;
  const __m128i by_step = Factor(kByStep);
  for (; at + kStep <= bytes.size(); at += kStep) {
    for (size_t i = 0; i < kLanes; ++i) {
      lanes[i] = Fold(lanes[i], by_step, Load(&bytes[at + i * kLane]));
    }
  }
  const __m128i by_lane = Factor(kByLane);
  __m128i rest = lanes[0];
  for (size_t i = 1; i < kLanes; ++i) rest = Fold(rest, by_lane, lanes[i]);
  for (; at < bytes.size(); at += kLane) {
    rest = Fold(rest, by_lane, Load(&bytes[at]));
  }
  std::byte last[kLane];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(last), rest);
  // These bytes have the remainder of the whole message.
  return CrcByTables(last, 0xFFFFFFFF);
}

bool HasProducts() {
  static const bool has = __builtin_cpu_supports("pclmul") != 0;
  return has;
}

// The same with four lanes in each register, multiplied by one instruction: as
// fast as memory.
constexpr size_t kWideLane = 64;
constexpr size_t kWideStep = kWideLane * kLanes;
constexpr Shift kByWideStep = ShiftBy(8 * kWideStep);
constexpr Shift kByWideLane = ShiftBy(8 * kWideLane);

REBASIN_WIDE_CLMUL inline __m512i WideFactor(const Shift& shift) {
  const auto high = static_cast<int64_t>(shift.high);
  const auto low = static_cast<int64_t>(shift.low);
  return _mm512_set4_epi64(low, high, low, high);
}

REBASIN_WIDE_CLMUL inline __m512i WideFold(__m512i lane, __m512i factor,
                                           __m512i there) {
  const __m512i high = _mm512_clmulepi64_epi128(lane, factor, 0x00);
  const __m512i low = _mm512_clmulepi64_epi128(lane, factor, 0x11);
  return _mm512_xor_si512(_mm512_xor_si512(high, low), there);
}

// Requires whole wide lanes, at least one step.
REBASIN_WIDE_CLMUL uint32_t CrcByWideProducts(std::span<const std::byte> bytes,
                                              uint32_t crc) {
  __m512i lanes[kLanes];
  for (size_t i = 0; i < kLanes; ++i) {
    lanes[i] = _mm512_loadu_si512(&bytes[i * kWideLane]);
  }
  lanes[0] = _mm512_xor_si512(
      lanes[0],
      _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(~crc))));
  size_t at = kWideStep;
  const __m512i by_step = WideFactor(kByWideStep);
  for (; at + kWideStep <= bytes.size(); at += kWideStep) {
    for (size_t i = 0; i < kLanes; ++i) {
      lanes[i] = WideFold(lanes[i], by_step,
                          _mm512_loadu_si512(&bytes[at + i * kWideLane]));
    }
  }
  const __m512i by_lane = WideFactor(kByWideLane);
  __m512i rest = lanes[0];
  for (size_t i = 1; i < kLanes; ++i) rest = WideFold(rest, by_lane, lanes[i]);
  for (; at < bytes.size(); at += kWideLane) {
    rest = WideFold(rest, by_lane, _mm512_loadu_si512(&bytes[at]));
  }
  std::byte last[kWideLane];
  _mm512_storeu_si512(last, rest);
  return CrcByProducts(last, 0xFFFFFFFF);
}

bool HasWideProducts() {
  static const bool has = HasProducts() &&
                          __builtin_cpu_supports("avx512f") != 0 &&
                          __builtin_cpu_supports("vpclmulqdq") != 0;
  return has;
}

#endif  // __x86_64__

}  // namespace

uint32_t Crc32(std::span<const std::byte> bytes, uint32_t crc) {
#ifdef __x86_64__
  if (bytes.size() >= kWideStep && HasWideProducts()) {
    const auto whole = bytes.first(bytes.size() / kWideLane * kWideLane);
    crc = CrcByWideProducts(whole, crc);
    bytes = bytes.subspan(whole.size());
  }
  if (bytes.size() >= kStep && HasProducts()) {
    const auto whole = bytes.first(bytes.size() / kLane * kLane);
    crc = CrcByProducts(whole, crc);
    bytes = bytes.subspan(whole.size());
  }
#endif
  return CrcByTables(bytes, crc);
}

uint32_t Crc32(std::span<const std::byte> bytes, ThreadPool& pool) {
  constexpr size_t kPiece = size_t{4} << 20;
  const size_t count = (bytes.size() + kPiece - 1) / kPiece;
  const auto piece = [&](size_t i) {
    const size_t begin = i * kPiece;
    return bytes.subspan(begin, std::min(kPiece, bytes.size() - begin));
  };
  std::vector<uint32_t> sums(count);
  pool.For(static_cast<int64_t>(count), [&](int64_t i) {
    sums[static_cast<size_t>(i)] = Crc32(piece(static_cast<size_t>(i)));
  });
  uLong crc = 0;
  for (size_t i = 0; i < count; ++i) {
    crc = crc32_combine(crc, sums[i], static_cast<z_off_t>(piece(i).size()));
  }
  return static_cast<uint32_t>(crc);
}

}  // namespace rebasin
