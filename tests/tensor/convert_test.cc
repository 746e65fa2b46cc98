#include "tensor/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "rebasin/error.h"
#include "tensor/convert_f16.h"

namespace rebasin {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<uint16_t> AllBits() {
  std::vector<uint16_t> bits(65536);
  std::iota(bits.begin(), bits.end(), uint16_t{0});
  return bits;
}

std::span<const std::byte> Bytes(const std::vector<uint16_t>& bits) {
  return std::as_bytes(std::span(bits));
}

// The value of a 16-bit float from its definition, by arithmetic alone.
double ValueOf(uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits & 0x7FFF) >> fraction_bits;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction ? NAN : sign * kInf;
  }
  const int leading = exponent == 0 ? 0 : 1 << fraction_bits;
  return sign * std::ldexp(leading + fraction,
                           std::max(exponent, 1) - bias - fraction_bits);
}

bool SameOrBothNan(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         (a == b && std::signbit(a) == std::signbit(b));
}

class SixteenBits : public ::testing::TestWithParam<DType> {
 protected:
  int ExponentBits() const { return GetParam() == DType::kF16 ? 5 : 8; }
  // A quiet NaN stays as it is; a signalling one becomes quiet.
  uint16_t QuietBit() const { return GetParam() == DType::kF16 ? 0x200 : 0x40; }
};

TEST_P(SixteenBits, EveryValueIsReadExactly) {
  const std::vector<uint16_t> all = AllBits();
  std::vector<float> floats(all.size());
  std::vector<double> doubles(all.size());
  ToFloats(GetParam(), Bytes(all), floats);
  ToDoubles(GetParam(), Bytes(all), doubles);
  for (size_t i = 0; i < all.size(); ++i) {
    const double expected = ValueOf(all[i], ExponentBits());
    ASSERT_TRUE(SameOrBothNan(floats[i], expected)) << i;
    ASSERT_TRUE(SameOrBothNan(doubles[i], expected)) << i;
  }
}

TEST_P(SixteenBits, EveryValueSurvivesTheRoundTrip) {
  const std::vector<uint16_t> all = AllBits();
  std::vector<float> floats(all.size());
  std::vector<double> doubles(all.size());
  ToFloats(GetParam(), Bytes(all), floats);
  ToDoubles(GetParam(), Bytes(all), doubles);
  std::vector<uint16_t> from_floats(all.size()), from_doubles(all.size());
  EXPECT_FALSE(FromFloats(floats, GetParam(),
                          std::as_writable_bytes(std::span(from_floats))));
  EXPECT_FALSE(FromDoubles(doubles, GetParam(),
                           std::as_writable_bytes(std::span(from_doubles))));
  for (size_t i = 0; i < all.size(); ++i) {
    const uint16_t quiet = std::isnan(floats[i]) ? QuietBit() : 0;
    ASSERT_EQ(from_floats[i], all[i] | quiet);
    ASSERT_EQ(from_doubles[i], all[i] | quiet);
  }
}

// Between each two neighbours: just below the middle, the middle, just above.
TEST_P(SixteenBits, EveryTieGoesToTheEvenNeighbour) {
  const uint16_t infinity = GetParam() == DType::kF16 ? 0x7C00 : 0x7F80;
  for (uint16_t low = 0; low + 1 < infinity; ++low) {
    const double a = ValueOf(low, ExponentBits());
    const double b = ValueOf(low + 1, ExponentBits());
    const double middle = (a + b) / 2;
    const std::vector<double> values = {std::nextafter(middle, 0), middle,
                                        std::nextafter(middle, kInf), -middle};
    std::vector<uint16_t> bits(values.size());
    FromDoubles(values, GetParam(), std::as_writable_bytes(std::span(bits)));
    const uint16_t even = low % 2 == 0 ? low : low + 1;
    ASSERT_EQ(bits[0], low);
    ASSERT_EQ(bits[1], even);
    ASSERT_EQ(bits[2], low + 1);
    ASSERT_EQ(bits[3], even | 0x8000);
    // The middle is a float as well, except below the smallest float.
    const std::vector<float> floats = {static_cast<float>(middle)};
    if (floats[0] != middle) continue;
    FromFloats(floats, GetParam(),
               std::as_writable_bytes(std::span(bits).first(1)));
    ASSERT_EQ(bits[0], even);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SixteenBits,
                         ::testing::Values(DType::kF16, DType::kBF16),
                         [](const auto& type) {
                           return std::string(DTypeName(type.param));
                         });

TEST(Convert, F16ByVectorsEqualsF16ByElement) {
  Random random(1);
  std::vector<float> floats(10007);
  for (float& value : floats) {
    value = std::bit_cast<float>(static_cast<uint32_t>(random.Next()));
  }
  std::vector<uint16_t> bits(floats.size());
  FloatsToF16s(floats, bits);
  for (size_t i = 0; i < floats.size(); ++i) {
    ASSERT_EQ(bits[i], FloatToF16(floats[i])) << floats[i];
  }
  const std::vector<uint16_t> all = AllBits();
  std::vector<float> back(all.size());
  F16sToFloats(all, back);
  for (size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(back[i]),
              std::bit_cast<uint32_t>(F16ToFloat(all[i])));
  }
}

TEST(Convert, DoublesAreRoundedOnceNotTwice) {
  // Just above the middle of two halves, but the middle itself as a float.
  const std::vector<double> values = {1 + 0x1p-11 + 0x1p-40};
  std::vector<uint16_t> bits(1);
  FromDoubles(values, DType::kF16, std::as_writable_bytes(std::span(bits)));
  EXPECT_EQ(bits[0], 0x3C01);
}

TEST(Convert, OverflowOfAFiniteValueIsToldByItsIndex) {
  std::vector<float> values(5000, 1);
  values[10] = kInf;     // infinite before, so no overflow
  values[11] = 65519;    // rounds down to 65504
  values[4000] = 65520;  // rounds up to infinity
  values[4500] = 1e30f;
  std::vector<std::byte> out(values.size() * 2);
  EXPECT_EQ(FromFloats(values, DType::kF16, out), 4000);
  EXPECT_EQ(FromFloats(values, DType::kBF16, out), std::nullopt);
  values[20] = std::numeric_limits<float>::max();
  EXPECT_EQ(FromFloats(values, DType::kBF16, out), 20);
}

TEST(Convert, OverflowOfDoublesIsTold) {
  const std::vector<double> values = {1, kInf, 1e39};
  std::vector<std::byte> out(values.size() * 4);
  EXPECT_EQ(FromDoubles(values, DType::kF32, out), 2);
  EXPECT_EQ(FromDoubles(values, DType::kF16, out), 2);
  EXPECT_EQ(FromDoubles(values, DType::kBF16, out), 2);
}

TEST(Tensor, ReadsARangeOfAnyArithmeticType) {
  std::vector<float> values(5001);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 200) - 100;
  }
  for (DType dtype : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64}) {
    const Tensor tensor = MakeTensor("w", {3, 1667}, values, dtype);
    EXPECT_EQ(tensor.size(), 5001);
    std::vector<float> floats(3000);
    std::vector<double> doubles(3000);
    ReadFloats(tensor, 2001, floats);
    ReadDoubles(tensor, 2001, doubles);
    for (size_t i = 0; i < floats.size(); ++i) {
      ASSERT_EQ(floats[i], values[i + 2001]);
      ASSERT_EQ(doubles[i], values[i + 2001]);
    }
  }
}

TEST(Tensor, BytesNeedNotBeAligned) {
  const std::vector<float> values = {1, 2, 3};
  const auto bytes = std::make_shared<std::vector<std::byte>>(13);
  std::memcpy(bytes->data() + 1, values.data(), 12);
  const Tensor tensor{.name = "w",
                      .dtype = DType::kF32,
                      .shape = {3},
                      .bytes = std::span(*bytes).subspan(1),
                      .owner = bytes};
  EXPECT_TRUE(FloatsInPlace(tensor).empty());
  std::vector<float> read(2);
  ReadFloats(tensor, 1, read);
  EXPECT_EQ(read[1], 3);
}

TEST(Tensor, MakingOneThatOverflowsNamesTheElement) {
  try {
    MakeTensor("fc.weight", {2}, std::vector<float>{1, 1e6f}, DType::kF16);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    EXPECT_STREQ(error.what(),
                 "tensor \"fc.weight\": element 1 is 1000000.000000, too "
                 "large for F16");
  }
}

TEST(DType, NamesAndSizesAreThoseOfTheFormat) {
  EXPECT_EQ(DTypeName(DType::kF8E4M3), "F8_E4M3");
  EXPECT_EQ(DTypeFromName("F6_E3M2"), DType::kF6E3M2);
  EXPECT_EQ(DTypeFromName("f32"), std::nullopt);
  EXPECT_EQ(DTypeBits(DType::kF4), 4);
  EXPECT_EQ(DTypeBits(DType::kC64), 64);
  for (int i = 0; i <= static_cast<int>(DType::kU64); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(DTypeFromName(DTypeName(dtype)), dtype);
  }
}

TEST(Shape, TextIsThatOfAList) {
  EXPECT_EQ(ShapeText(Shape{64, 3}), "[64, 3]");
  EXPECT_EQ(ShapeText(Shape{}), "[]");
}

}  // namespace
}  // namespace rebasin
