#include "tensor/convert.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "tensor/convert_f16.h"

namespace rebasin {

static_assert(std::endian::native == std::endian::little,
              "tensor bytes are little-endian and are used in place");

namespace {

// Elements are converted through buffers that stay in the first-level cache.
constexpr size_t kBlock = 2048;

template <typename T>
using Block = std::array<T, kBlock>;

// Calls body(begin, count) for consecutive blocks of [0, size).
template <typename Body>
void ForBlocks(size_t size, const Body& body) {
  for (size_t begin = 0; begin < size; begin += kBlock) {
    body(begin, std::min(kBlock, size - begin));
  }
}

#ifdef __x86_64__
// The attribute makes the compiler inline the loop here and use AVX2.
template <typename Body>
[[gnu::target("avx2"), gnu::flatten]] void WithAvx2(const Body& body) {
  body();
}
#endif

// Runs a loop with AVX2 if available; wider vectors do not help, because memory
// is the limit.
template <typename Body>
void Vectorised(const Body& body) {
#ifdef __x86_64__
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return WithAvx2(body);
#endif
  body();
}

// Fills `block` from unaligned bytes.
template <typename T>
std::span<const T> Load(std::span<const std::byte> in, size_t begin,
                        size_t count, Block<T>& block) {
  std::memcpy(block.data(), in.data() + begin * sizeof(T), count * sizeof(T));
  return {block.data(), count};
}

template <typename T>
void Store(std::span<const T> values, size_t begin, std::span<std::byte> out) {
  if (values.empty()) return;  // memcpy does not accept null pointers
  std::memcpy(out.data() + begin * sizeof(T), values.data(),
              values.size_bytes());
}

template <typename From, typename To, typename Convert>
void ReadBlocks(std::span<const std::byte> in, std::span<To> out,
                const Convert& convert) {
  Block<From> block;
  ForBlocks(out.size(), [&](size_t begin, size_t count) {
    convert(Load<From>(in, begin, count, block), out.subspan(begin, count));
  });
}

void BF16sToFloats(std::span<const uint16_t> in, std::span<float> out) {
  Vectorised([&] {
    for (size_t i = 0; i < in.size(); ++i) out[i] = BF16ToFloat(in[i]);
  });
}

void FloatsToBF16s(std::span<const float> in, std::span<uint16_t> out) {
  Vectorised([&] {
    for (size_t i = 0; i < in.size(); ++i) out[i] = FloatToBF16(in[i]);
  });
}

template <typename From, typename To>
void Cast(std::span<const From> in, std::span<To> out) {
  Vectorised([&] {
    for (size_t i = 0; i < in.size(); ++i) out[i] = static_cast<To>(in[i]);
  });
}

// F16 and BF16 convert to double via float, which is exact.
template <typename Convert>
auto Widened(const Convert& to_floats) {
  return [&to_floats](std::span<const uint16_t> in, std::span<double> out) {
    Block<float> floats;
    to_floats(in, std::span(floats).first(in.size()));
    Cast<float, double>(std::span(floats).first(in.size()), out);
  };
}

// The smallest magnitude that rounds to infinity: the largest finite value
// plus half its spacing (a tie, which goes to the even side, infinity).
constexpr double kF16Overflow = 65520;
constexpr double kBF16Overflow = 0x1.FFp127;
constexpr double kF32Overflow = 0x1.FFFFFFp127;

// The first index of a finite number that rounds to infinity. Counts first,
// because that vectorises and overflow is rare.
template <typename From>
std::optional<size_t> FindOverflow(std::span<const From> in, From overflow) {
  const From infinity = std::numeric_limits<From>::infinity();
  // Without a branch, so that the loop vectorises.
  const auto overflows = [&](From value) {
    return static_cast<int>(std::abs(value) >= overflow) &
           static_cast<int>(std::abs(value) < infinity);
  };
  int count = 0;
  Vectorised([&] {
    for (size_t i = 0; i < in.size(); ++i) count += overflows(in[i]);
  });
  if (count == 0) return std::nullopt;
  return std::find_if(in.begin(), in.end(), overflows) - in.begin();
}

template <typename To, typename From, typename Convert>
std::optional<int64_t> WriteBlocks(std::span<const From> in,
                                   std::span<std::byte> out, From overflow,
                                   const Convert& convert) {
  std::optional<int64_t> first;
  Block<To> block;
  ForBlocks(in.size(), [&](size_t begin, size_t count) {
    const auto from = in.subspan(begin, count);
    const auto to = std::span(block).first(count);
    convert(from, to);
    Store<To>(to, begin, out);
    const auto at = FindOverflow(from, overflow);
    if (at && !first) first = static_cast<int64_t>(begin + *at);
  });
  return first;
}

// Double to a 16-bit type: round to odd, then convert as float.
template <typename Convert>
auto RoundedOnce(const Convert& from_floats) {
  return [&from_floats](std::span<const double> in, std::span<uint16_t> out) {
    Block<float> floats;
    for (size_t i = 0; i < in.size(); ++i) {
      floats[i] = DoubleToFloatRoundedToOdd(in[i]);
    }
    from_floats(std::span<const float>(floats).first(in.size()), out);
  };
}

}  // namespace

float DoubleToFloatRoundedToOdd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = nearest;
  if (back == value || std::isnan(value)) return nearest;
  // Truncate towards zero, then mark the lost bits in the last bit. Infinity
  // truncates to the largest float, which overflows any smaller type.
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (std::abs(back) > std::abs(value)) --bits;
  return std::bit_cast<float>(bits | 1);
}

void ToFloats(DType dtype, std::span<const std::byte> in,
              std::span<float> out) {
  switch (dtype) {
    case DType::kF32:
      if (!out.empty()) std::memcpy(out.data(), in.data(), out.size_bytes());
      return;
    case DType::kF64:
      return ReadBlocks<double>(in, out, Cast<double, float>);
    case DType::kF16:
      return ReadBlocks<uint16_t>(in, out, F16sToFloats);
    case DType::kBF16:
      return ReadBlocks<uint16_t>(in, out, BF16sToFloats);
    default:
      assert(false && "not an arithmetic type");
  }
}

void ToDoubles(DType dtype, std::span<const std::byte> in,
               std::span<double> out) {
  switch (dtype) {
    case DType::kF64:
      if (!out.empty()) std::memcpy(out.data(), in.data(), out.size_bytes());
      return;
    case DType::kF32:
      return ReadBlocks<float>(in, out, Cast<float, double>);
    case DType::kF16:
      return ReadBlocks<uint16_t>(in, out, Widened(F16sToFloats));
    case DType::kBF16:
      return ReadBlocks<uint16_t>(in, out, Widened(BF16sToFloats));
    default:
      assert(false && "not an arithmetic type");
  }
}

std::optional<int64_t> FromFloats(std::span<const float> in, DType dtype,
                                  std::span<std::byte> out) {
  switch (dtype) {
    case DType::kF32:
      Store(in, 0, out);
      return std::nullopt;
    case DType::kF64:
      return WriteBlocks<double>(in, out, INFINITY, Cast<float, double>);
    case DType::kF16:
      return WriteBlocks<uint16_t>(in, out, float{kF16Overflow}, FloatsToF16s);
    case DType::kBF16:
      return WriteBlocks<uint16_t>(in, out, float{kBF16Overflow},
                                   FloatsToBF16s);
    default:
      assert(false && "not an arithmetic type");
      return std::nullopt;
  }
}

std::optional<int64_t> FromDoubles(std::span<const double> in, DType dtype,
                                   std::span<std::byte> out) {
  switch (dtype) {
    case DType::kF64:
      Store(in, 0, out);
      return std::nullopt;
    case DType::kF32:
      return WriteBlocks<float>(in, out, kF32Overflow, Cast<double, float>);
    case DType::kF16:
      return WriteBlocks<uint16_t>(in, out, kF16Overflow,
                                   RoundedOnce(FloatsToF16s));
    case DType::kBF16:
      return WriteBlocks<uint16_t>(in, out, kBF16Overflow,
                                   RoundedOnce(FloatsToBF16s));
    default:
      assert(false && "not an arithmetic type");
      return std::nullopt;
  }
}

}  // namespace rebasin
