#include "support/bad_input.h"
#include "support/zip_files.h"

namespace rebasin {
namespace {

using enum ErrorCode;

InputRow Row(const std::string& name, const std::string& content,
             std::optional<ErrorCode> error,
             std::vector<std::string> says = {}) {
  return {name, [content] { return content; }, error, std::move(says)};
}

std::string Sound() {
  return MakeZip({{.name = "a", .content = "some text"},
                  {.name = "b/c", .content = "more", .deflated = true}});
}

std::string Named(const std::string& name) {
  return MakeZip({{.name = name, .content = "x"}});
}

std::string Cut(std::string text, size_t from_end) {
  text.resize(text.size() - from_end);
  return text;
}

std::vector<InputRow> SoundRows() {
  return {
      Row("P00_Sound", Sound(), std::nullopt),
      Row("P00_Empty", MakeZip({}), std::nullopt),
      Row("P00_Comment",
          MakeZip({{.name = "a", .content = "x"}}, {.comment = "hello"}),
          std::nullopt),
      Row("P00_Folder", MakeZip({{.name = "d/", .content = ""}}), std::nullopt),
      Row("P00_Zip64",
          MakeZip({{.name = "a", .content = "some text", .zip64 = true}},
                  {.zip64 = true}),
          std::nullopt),
  };
}

std::vector<InputRow> EndRows() {
  const std::string sound = Sound();
  const std::string fake_end = "PK\x05\x06" + std::string(18, '\0');
  return {
      Row("P03_EmptyFile", "", kBadInput, {"not a zip archive"}),
      Row("P03_Text", "hello, hello, hello, hello, hello", kBadInput,
          {"not a zip archive"}),
      Row("P03_NoDirectory", sound.substr(0, 50), kBadInput,
          {"truncated archive"}),
      Row("P03_CutInTheEnd", Cut(sound, 1), kBadInput, {"truncated archive"}),
      Row("P04_TwoEnds", MakeZip({}, {.comment = fake_end}), kBadInput,
          {"two end records"}),
      Row("P04_BytesBefore", "junk" + sound, kBadInput,
          {"the zip directory should have"}),
      Row("P04_CountedBytesBefore",
          MakeZip({{.name = "a", .content = "x"}}, {.prefix = "junk"}),
          kBadInput, {"4 bytes precede the first entry"}),
      Row("P04_DirectoryOffset",
          MakeZip({{.name = "a", .content = "x"}}, {.directory_offset = 7}),
          kBadInput, {"from byte 7"}),
      Row("P04_EntryCount",
          MakeZip({{.name = "a", .content = "x"}}, {.entries = 2}), kBadInput,
          {"claims 2 entries and has 1"}),
      Row("P04_Zip64Disagrees",
          MakeZip({{.name = "a", .content = "x"}},
                  {.zip64 = true, .directory_offset = 3}),
          kBadInput),
      Row("P07_ManyDisks",
          MakeZip({{.name = "a", .content = "x"}}, {.disk = 1}), kUnsupported,
          {"several disks"}),
  };
}

std::vector<InputRow> EntryRows() {
  return {
      Row("P06_TwoOfOneName",
          MakeZip(
              {{.name = "a", .content = "x"}, {.name = "a", .content = "y"}}),
          kBadInput, {"two entries named \"a\""}),
      Row("P06_Overlap",
          MakeZip(
              {{.name = "a", .content = "xxxxxxxx"},
               {.name = "b", .content = "y", .offset = 0, .local_name = "a"}}),
          kBadInput, {"\"b\"", "local header"}),
      Row("P06_SameBytesTwice",
          MakeZip({{.name = "a", .content = Cut(Named("b"), 69)},
                   {.name = "b", .content = "x", .offset = 31}}),
          kBadInput, {"overlap"}),
      Row("P07_Encrypted", MakeZip({{.name = "a", .content = "x", .flags = 1}}),
          kUnsupported, {"\"a\" is encrypted"}),
      Row("P07_UnknownMethod",
          MakeZip({{.name = "a", .content = "x", .method = 14}}), kUnsupported,
          {"method 14"}),
      Row("P08_Claims40GB",
          MakeZip({{.name = "a",
                    .content = std::string(1000, 'x'),
                    .deflated = true,
                    .zip64 = true,
                    .size = 40'000'000'000}}),
          kLimit, {"\"a\"", "40000000000", "the limit for"}),
      Row("P08_EntriesClaim120MBTogether",
          MakeZip({{.name = "a",
                    .content = "xyz",
                    .deflated = true,
                    .size = 60'000'000},
                   {.name = "b",
                    .content = "xyz",
                    .deflated = true,
                    .size = 60'000'000}}),
          kLimit, {"120000000 bytes", "bytes of archive"}),
      Row("P09_ExpandsToMore",
          MakeZip({{.name = "a",
                    .content = std::string(1000, 'x'),
                    .deflated = true,
                    .size = 10}}),
          kBadInput, {"\"a\"", "goes on"}),
      Row("P09_ExpandsToLess",
          MakeZip({{.name = "a",
                    .content = std::string(1000, 'x'),
                    .deflated = true,
                    .size = 2000}}),
          kBadInput, {"\"a\"", "ends after 1000 of 2000 bytes"}),
      Row("P09_StoredSizesDiffer",
          MakeZip({{.name = "a", .content = "xyz", .size = 2}}), kBadInput,
          {"2 bytes as 3"}),
      Row("P10_WrongChecksum",
          MakeZip({{.name = "a", .content = "xyz", .crc = 1}}), kBadInput,
          {"\"a\"", "CRC-32"}),
      Row("P10_WrongChecksumDeflated",
          MakeZip(
              {{.name = "a", .content = "xyz", .deflated = true, .crc = 1}}),
          kBadInput, {"\"a\"", "CRC-32"}),
      Row("P10_DamagedStream",
          MakeZip({{.name = "a", .content = "\xFF\xFF\xFF", .method = 8}}),
          kBadInput, {"\"a\"", "damaged"}),
      Row("P11_Parent", Named("../x"), kBadInput, {"leads out"}),
      Row("P11_ParentInside", Named("a/../../x"), kBadInput, {"leads out"}),
      Row("P11_Absolute", Named("/x"), kBadInput, {"leads out"}),
      Row("P11_Backslash", Named("a\\x"), kBadInput, {"leads out"}),
      Row("P11_NoName", Named(""), kBadInput, {"leads out"}),
      Row("P11_OtherLocalName",
          MakeZip({{.name = "a", .content = "x", .local_name = "b"}}),
          kBadInput, {"local header"}),
      Row("P11_OffsetBeyond",
          MakeZip({{.name = "a", .content = "x", .offset = 1000}}), kBadInput,
          {"outside"}),
      Row("P11_Zip64OffsetBeyond",
          MakeZip({{.name = "a",
                    .content = "x",
                    .zip64 = true,
                    .offset = 0xFFFFFFFFFFFFFFF0}}),
          kBadInput, {"outside"}),
  };
}

// Checksum and sizes of "some text" behind it.
std::string Descriptor(uint32_t crc, uint64_t size, int width = 4,
                       const std::string& head = "PK\x07\x08") {
  return head + Little(crc, 4) + Little(size, width) + Little(size, width);
}

ZipPart Followed(const std::string& descriptor) {
  return {.name = "a",
          .content = "some text",
          .flags = 8,
          .local_crc = 0,
          .descriptor = descriptor};
}

// Local headers that say something else than the directory.
std::vector<InputRow> LocalRows() {
  const uint32_t crc = Crc32("some text");
  const auto with = [](const ZipPart& change) {
    ZipPart part = change;
    part.name = "a";
    part.content = "some text";
    return MakeZip({part});
  };
  return {
      Row("X01_SoundDescriptor", MakeZip({Followed(Descriptor(crc, 9))}),
          std::nullopt),
      Row("X01_WideDescriptor", MakeZip({Followed(Descriptor(crc, 9, 8))}),
          std::nullopt),
      Row("X01_DescriptorWithoutSignature",
          MakeZip({Followed(Descriptor(crc, 9, 4, ""))}), std::nullopt),
      Row("X01_LocalName", with({.local_name = "b"}), kBadInput,
          {"\"a\"", "local header", "another name"}),
      Row("X01_LocalSize", with({.local_size = 8}), kBadInput,
          {"\"a\"", "local header", "size"}),
      Row("X01_LocalSizeInZip64", with({.zip64 = true, .local_size = 8}),
          kBadInput, {"\"a\"", "local header", "size"}),
      Row("X01_LocalChecksum", with({.local_crc = 1}), kBadInput,
          {"\"a\"", "local header"}),
      Row("X01_LocalFlagOfDescriptor", with({.local_flags = 8}), kBadInput,
          {"\"a\"", "other flags"}),
      Row("X01_LocalFlagOfUtf8", with({.local_flags = 0x800}), kBadInput,
          {"\"a\"", "other flags"}),
      Row("X01_LocalFlagOfEncryption", with({.local_flags = 1}), kBadInput,
          {"\"a\"", "other flags"}),
      Row("X01_NoDescriptor", MakeZip({Followed("")}), kBadInput,
          {"\"a\"", "not followed by the checksum"}),
      Row("X01_FalseDescriptor", MakeZip({Followed(Descriptor(crc, 8))}),
          kBadInput, {"\"a\"", "not followed by the checksum"}),
      Row("X01_FalseChecksumInDescriptor",
          MakeZip({Followed(Descriptor(crc + 1, 9))}), kBadInput,
          {"\"a\"", "not followed by the checksum"}),
  };
}

}  // namespace

std::vector<InputRow> ZipRows() {
  std::vector<InputRow> rows = SoundRows();
  for (const auto& more : {EndRows(), EntryRows(), LocalRows()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

}  // namespace rebasin
