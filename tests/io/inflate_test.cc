#include "io/inflate.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/random.h"
#include "io/bytes.h"
#include "support/expect_error.h"
#include "support/zip_files.h"

namespace rebasin {
namespace {

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(Inflater, GivesBackWhatWasDeflatedInPiecesOfAnySize) {
  Random random(1);
  std::string content;
  for (int i = 0; i < 300'000; ++i) {
    content += static_cast<char>(random.Below(7));
  }
  for (const size_t first : {0, 1, 16, 65536, 300'000}) {
    const std::string packed = Gzip(content);
    Inflater inflater(Bytes(packed), Deflated::kGzip, "file");
    std::vector<uint8_t> all(first);
    ASSERT_EQ(inflater.Read(all), first);
    const auto rest =
        inflater.ReadRest(static_cast<int64_t>(content.size() - first));
    all.insert(all.end(), rest.begin(), rest.end());
    EXPECT_TRUE(std::equal(
        all.begin(), all.end(), content.begin(),
        [](uint8_t a, char b) { return a == static_cast<uint8_t>(b); }));
  }
}

TEST(Inflater, ChecksTheChecksumOfGzip) {
  std::string packed = Gzip("some text");
  packed[packed.size() - 5] ^= 1;
  Inflater inflater(Bytes(packed), Deflated::kGzip, "file");
  ExpectError(ErrorCode::kBadInput, {"file: ", "damaged"},
              [&] { inflater.ReadRest(9); });
}

// What a stream claims to hold costs nothing until it is there.
TEST(Inflater, DoesNotBelieveClaimsAboutItsSize) {
  const std::string packed = Deflate("some text");
  Inflater inflater(Bytes(packed), Deflated::kRaw, "file");
  ExpectError(ErrorCode::kBadInput, {"ends after 9 of"},
              [&] { inflater.ReadRest(int64_t{1} << 60); });
}

TEST(MostInflated, GrowsWithTheInputAndNeverOverflows) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(MostInflated(0), 64 << 20);
  EXPECT_EQ(MostInflated(1000), (64 << 20) + 100'000);
  EXPECT_EQ(MostInflated(kMost), kMost);
  EXPECT_EQ(MostInflated(kMost / 100), kMost);
}

TEST(Bytes, NumbersAreReadInEitherOrder) {
  const std::string text = "\x01\x02\x03\x04\x05\x06\x07\x88";
  EXPECT_EQ(LoadLittle<uint16_t>(Bytes(text), 1), 0x0302);
  EXPECT_EQ(LoadBig<uint16_t>(Bytes(text), 1), 0x0203);
  EXPECT_EQ(LoadBig<uint32_t>(Bytes(text), 4), 0x05060788u);
  EXPECT_EQ(LoadLittle<uint64_t>(Bytes(text), 0), 0x8807060504030201u);
}

}  // namespace
}  // namespace rebasin
