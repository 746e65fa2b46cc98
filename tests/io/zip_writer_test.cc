#include "io/zip_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/random.h"
#include "io/zip.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string WriteAndRead(const TempDir& dir,
                         std::span<const NewZipEntry> entries) {
  AtomicFile file(dir / "out", {.force = true});
  WriteZip(entries, file);
  file.Finish();
  file.Publish();
  return ReadAll(dir / "out");
}

// What an archive holds, read with its checksums.
void ExpectHolds(const std::string& file,
                 std::span<const NewZipEntry> expected) {
  const ZipArchive archive(Bytes(file), "the file");
  ASSERT_EQ(archive.entries().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const ZipEntry& entry = archive.entries()[i];
    EXPECT_EQ(entry.name, expected[i].name);
    EXPECT_EQ(entry.data_begin % 64, 0);
    const auto bytes =
        archive.Read(entry, std::numeric_limits<int64_t>::max()).bytes;
    std::string content = expected[i].head;
    content.append(reinterpret_cast<const char*>(expected[i].rest.data()),
                   expected[i].rest.size());
    EXPECT_TRUE(std::ranges::equal(bytes, Bytes(content))) << entry.name;
  }
}

TEST(ZipWriter, WritesNothingButADirectoryForNoEntries) {
  const TempDir dir;
  ExpectHolds(WriteAndRead(dir, {}), {});
}

TEST(ZipWriter, WritesHeadsAndRests) {
  const TempDir dir;
  const std::string rest = "rest";
  const std::vector<NewZipEntry> entries = {
      {"both", "head and ", Bytes(rest)},
      {"empty"},
      {"folder/rest alone", "", Bytes(rest)},
      {"head alone", "head"}};
  ExpectHolds(WriteAndRead(dir, entries), entries);
}

// Checksums are computed some 16 MB ahead: sizes that fill batches alone,
// together, and not at all.
TEST(ZipWriter, WritesEntriesOfAllSizes) {
  const TempDir dir;
  std::string memory(size_t{40} << 20, 0);
  Random random(1);
  for (size_t i = 0; i < memory.size(); i += 8) {
    const uint64_t next = random.Next();
    memory.replace(i, 8, reinterpret_cast<const char*>(&next), 8);
  }
  const auto part = [&](size_t begin, size_t size) {
    return Bytes(memory).subspan(begin, size);
  };
  constexpr size_t kMega = size_t{1} << 20;
  const std::vector<NewZipEntry> entries = {
      {"large", "", part(5, 33 * kMega)},
      {"small", "", part(7, 100)},
      {"a batch exactly", "", part(9, 16 * kMega)},
      {"half", "", part(1, 9 * kMega)},
      {"and half", "", part(2, 9 * kMega)},
      {"nothing"},
      {"last", "the end", part(0, 3)}};
  ExpectHolds(WriteAndRead(dir, entries), entries);
}

TEST(ZipWriter, RefusesNamesThatAreTooLongBeforeItWrites) {
  const TempDir dir;
  const std::vector<NewZipEntry> entries = {{"a", "b"},
                                            {std::string(0x8000, 'n'), "b"}};
  AtomicFile file(dir / "out");
  ExpectError(ErrorCode::kLimit, {"32768 bytes", "32767"},
              [&] { WriteZip(entries, file); });
  EXPECT_EQ(file.written(), 0);
}

}  // namespace
}  // namespace rebasin
