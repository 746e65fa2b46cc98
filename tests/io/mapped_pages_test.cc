#include "io/mapped_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "io/file.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

constexpr size_t kSize = size_t{1} << 20;

TEST(MappedPages, GivenBackAreReadAgain) {
  const TempDir folder;
  std::string content(kSize, 'x');
  for (size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i / 1000);
  }
  folder.Write("file", content);
  const auto file = MappedFile::Open(folder / "file");
  const auto bytes = std::as_bytes(std::span(content));
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(std::ranges::equal(file->bytes(), bytes));
    ReleasePages(file->bytes().subspan(100, kSize - 300));
    ReadAhead(file->bytes().subspan(5000));
  }
}

TEST(MappedPages, OtherMemoryKeepsItsContent) {
  std::vector<std::byte> memory(kSize, std::byte{7});
  ReleasePages(memory);
  ReadAhead(memory);
  ReleasePages({});
  EXPECT_EQ(std::count(memory.begin(), memory.end(), std::byte{7}),
            static_cast<int64_t>(kSize));
}

TEST(MappedPages, OfAFileThatIsUnmappedAreNotTouched) {
  const TempDir folder;
  folder.Write("file", std::string(kSize, 'x'));
  std::span<const std::byte> bytes;
  {
    const auto file = MappedFile::Open(folder / "file");
    bytes = file->bytes();
  }
  // Other memory may now be at this place.
  ReleasePages(bytes);
}

TEST(MappedPages, TheMachineHasMemory) {
  EXPECT_GT(PhysicalMemory(), int64_t{64} << 20);
}

}  // namespace
}  // namespace rebasin
