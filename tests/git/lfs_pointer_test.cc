#include "git/lfs_pointer.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

const std::string kVersion = "version https://git-lfs.github.com/spec/v1\n";
const std::string kDigest(64, 'a');
const std::string kOid = "oid sha256:" + kDigest + "\n";

TEST(LfsPointer, HasADigestAndASize) {
  const auto pointer = ParseLfsPointer(kVersion + kOid + "size 12\n", "x");
  ASSERT_TRUE(pointer);
  EXPECT_EQ(pointer->oid, kDigest);
  EXPECT_EQ(pointer->size, 12);
  EXPECT_FALSE(pointer->extended);
}

TEST(LfsPointer, MayHaveExtensions) {
  const auto pointer = ParseLfsPointer(
      kVersion + "ext-0-fold sha256:" + kDigest + "\n" + kOid + "size 12\n",
      "x");
  ASSERT_TRUE(pointer);
  EXPECT_TRUE(pointer->extended);
}

TEST(LfsPointer, OtherFilesAreNone) {
  EXPECT_FALSE(ParseLfsPointer("", "x"));
  EXPECT_FALSE(ParseLfsPointer("version 2\n" + kOid + "size 1\n", "x"));
  const TempDir folder;
  folder.Write("large", kVersion + kOid + std::string(2000, '\n'));
  EXPECT_FALSE(ReadLfsPointer(folder / "large", "x"));
}

TEST(LfsPointer, BrokenOnesAreErrors) {
  for (const std::string& rest :
       {std::string(), kOid, std::string("size 1\n"),
        "oid sha256:" + kDigest.substr(1) + "\nsize 1\n",
        "oid sha256:" + std::string(64, 'G') + "\nsize 1\n",
        "oid md5:" + kDigest + "\nsize 1\n", kOid + "size -1\n",
        kOid + "size 99999999999999999999\n", kOid + "size 1x\n",
        kOid + "size \n"}) {
    ExpectError(ErrorCode::kBadInput, {"theirs", "broken Git LFS pointer"},
                [&] { ParseLfsPointer(kVersion + rest, "theirs"); });
  }
}

}  // namespace
}  // namespace rebasin
