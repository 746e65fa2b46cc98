#include "io/zip.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/bad_input.h"
#include "support/expect_error.h"
#include "support/expect_row.h"
#include "support/zip_files.h"

namespace rebasin {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string Text(const ZipContent& content) {
  return {reinterpret_cast<const char*>(content.bytes.data()),
          content.bytes.size()};
}

void ReadAllEntries(const std::string& file) {
  const ZipArchive archive(Bytes(file), "the file");
  for (const ZipEntry& entry : archive.entries()) archive.Read(entry, kNoLimit);
}

class Zip : public ::testing::TestWithParam<InputRow> {};

TEST_P(Zip, IsReadOrRefusedAsStated) {
  ExpectAsStated(GetParam(), ReadAllEntries);
}

INSTANTIATE_TEST_SUITE_P(Rows, Zip, ::testing::ValuesIn(ZipRows()),
                         [](const auto& row) { return row.param.name; });

TEST(ZipArchive, ReadsStoredInPlaceAndDeflatedFromACopy) {
  const std::string long_text(100'000, 'y');
  const std::string file =
      MakeZip({{.name = "a", .content = "some text"},
               {.name = "b/c", .content = long_text, .deflated = true}});
  const ZipArchive archive(Bytes(file), "zip");
  ASSERT_EQ(archive.entries().size(), 2);
  const ZipContent stored = archive.Read(*archive.Find("a"), kNoLimit);
  EXPECT_EQ(Text(stored), "some text");
  EXPECT_EQ(stored.owner, nullptr);
  const ZipContent inflated = archive.Read(*archive.Find("b/c"), kNoLimit);
  EXPECT_EQ(Text(inflated), long_text);
  EXPECT_EQ(archive.Find("b"), nullptr);
}

TEST(ZipArchive, RefusesEntriesBeyondTheCallersLimit) {
  const std::string file = MakeZip({{.name = "a", .content = "some text"}});
  const ZipArchive archive(Bytes(file), "zip");
  EXPECT_NO_THROW(archive.Read(archive.entries()[0], 9));
  ExpectError(ErrorCode::kLimit, {"\"a\"", "9 bytes", "the limit is 8"},
              [&] { archive.Read(archive.entries()[0], 8); });
}

// Writers that cannot seek leave sizes out of the local header and repeat them
// after the content.
TEST(ZipArchive, TakesSizesFromTheDirectoryIfTheyFollowTheContent) {
  const std::string descriptor =
      "PK\x07\x08" + Little(Crc32("xyz"), 4) + Little(3, 4) + Little(3, 4);
  std::string file = MakeZip(
      {{.name = "a", .content = "xyz", .flags = 8, .descriptor = descriptor}});
  file.replace(14, 12, std::string(12, '\0'));
  const ZipArchive archive(Bytes(file), "zip");
  EXPECT_EQ(Text(archive.Read(archive.entries()[0], kNoLimit)), "xyz");
}

TEST(ZipArchive, SurvivesEveryCutAndEveryChangedByte) {
  const std::string sound =
      MakeZip({{.name = "a", .content = "some text", .zip64 = true},
               {.name = "b", .content = "some text", .deflated = true}},
              {.zip64 = true});
  const auto run = [](const std::string& file) {
    try {
      ReadAllEntries(file);
    } catch (const Error&) {
    }
  };
  for (size_t i = 0; i < sound.size(); ++i) {
    run(sound.substr(0, i));
    for (const char change : {'\x01', '\x80', '\xFF'}) {
      std::string changed = sound;
      changed[i] = static_cast<char>(changed[i] ^ change);
      run(changed);
    }
  }
}

}  // namespace
}  // namespace rebasin
