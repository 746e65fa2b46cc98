#include "io/crc32.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string_view>
#include <vector>

#include "base/random.h"

namespace rebasin {
namespace {

std::vector<std::byte> RandomBytes(size_t size) {
  Random random(1);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.Next());
  return bytes;
}

uint32_t ByZlib(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

TEST(Crc32, OfTheNineDigitsIsTheOneOfTheStandard) {
  const std::string_view digits = "123456789";
  EXPECT_EQ(Crc32(std::as_bytes(std::span(digits))), 0xCBF43926u);
}

TEST(Crc32, IsThatOfZlibForAnyLengthAndPlace) {
  const auto bytes = RandomBytes(700);
  for (size_t begin = 0; begin < 20; ++begin) {
    for (size_t size = 0; size + begin < bytes.size(); ++size) {
      const auto part = std::span(bytes).subspan(begin, size);
      ASSERT_EQ(Crc32(part), size == 0 ? 0 : ByZlib(part)) << begin << size;
    }
  }
}

TEST(Crc32, GoesOnWhereItEnded) {
  const auto bytes = RandomBytes(1000);
  const std::span<const std::byte> all = bytes;
  for (size_t middle = 0; middle <= all.size(); ++middle) {
    const uint32_t head = Crc32(all.first(middle));
    ASSERT_EQ(Crc32(all.subspan(middle), head), ByZlib(all)) << middle;
  }
}

TEST(Crc32, OfPiecesThatThreadsShareIsThatOfTheWhole) {
  constexpr size_t kPiece = size_t{4} << 20;
  const auto bytes = RandomBytes(2 * kPiece + 100);
  ThreadPool pool(3);
  for (const size_t size : {size_t{0}, size_t{5}, kPiece - 1, kPiece,
                            kPiece + 1, 2 * kPiece, bytes.size()}) {
    const auto part = std::span<const std::byte>(bytes).first(size);
    EXPECT_EQ(Crc32(part, pool), size == 0 ? 0 : ByZlib(part)) << size;
  }
}

}  // namespace
}  // namespace rebasin
