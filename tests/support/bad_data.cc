#include "support/bad_input.h"
#include "support/data_files.h"
#include "support/npy_files.h"

namespace rebasin {
namespace {

using enum ErrorCode;

InputRow Row(const std::string& name, const std::string& content,
             std::optional<ErrorCode> error,
             std::vector<std::string> says = {}) {
  return {name, [content] { return content; }, error, std::move(says)};
}

std::string Magic(uint32_t magic) { return Big(magic, 4) + Big(1, 4); }

std::vector<InputRow> IdxHeaderRows() {
  const std::string sizes = Big(1, 4) + Big(2, 4) + Big(2, 4);
  return {
      Row("D01_Sound", IdxImages(2, 2, 3), std::nullopt),
      Row("D01_Empty", "", kBadInput, {"0 of 16 bytes"}),
      Row("D01_Short", IdxImages(1, 2, 2).substr(0, 15), kBadInput,
          {"15 of 16 bytes"}),
      Row("D01_WrongMagic", "abcd" + sizes + "1234", kBadInput,
          {"0x61626364", "images start with 0x00000803"}),
      Row("D01_Labels", IdxLabels({1, 2, 3}), kBadInput,
          {"labels (0x00000801)", "expected images (0x00000803)"}),
      Row("D01_HtmlPage", "<!DOCTYPE html><html></html>", kBadInput,
          {"looks like an HTML page"}),
      Row("D02_LittleEndian", Little(0x803, 4) + sizes + "1234", kBadInput,
          {"little-endian", "highest byte first"}),
      Row("D03_Gzip", Gzip(IdxImages(2, 2, 3)), std::nullopt),
      Row("D03_GzipOfLabels", Gzip(IdxLabels({1})), kBadInput,
          {"expected images"}),
      Row("D03_GzipCut", Gzip(IdxImages(2, 2, 3)).substr(0, 30), kBadInput,
          {"cut short"}),
      Row("D03_GzipOfNothing", Gzip(""), kBadInput, {"0 of 16 bytes"}),
      Row("D03_GzipTooShort", Gzip(IdxImages(2, 2, 3).substr(0, 20)), kBadInput,
          {"ends after 4 of 12 bytes"}),
      Row("D03_GzipTooLong", Gzip(IdxImages(2, 2, 3) + "x"), kBadInput,
          {"goes on"}),
      Row("D03_GzipTrailer", Gzip(IdxImages(2, 2, 3)) + "x", kBadInput,
          {"1 bytes follow"}),
      Row("D03_GzipBomb",
          Gzip(Big(0x803, 4) + Big(60'000'000, 4) + Big(28, 4) + Big(28, 4)),
          kLimit, {"47040000000 bytes", "the limit for"}),
      Row("D08_Floats", Magic(0x0D03) + sizes, kUnsupported,
          {"only unsigned bytes"}),
      Row("D08_UnknownType", Magic(0x0703) + sizes, kBadInput, {"0x00000703"}),
      Row("D08_Rank0", Magic(0x0800) + sizes, kBadInput, {"0 axes"}),
      Row("D08_Rank200", Magic(0x08C8) + sizes, kBadInput, {"200 axes"}),
  };
}

std::vector<InputRow> IdxSizeRows() {
  const std::string images = IdxImages(2, 2, 3);
  return {
      Row("D04_Cut", images.substr(0, images.size() - 1), kBadInput,
          {"12 bytes, but 11 follow"}),
      Row("D04_TooLong", images + "x", kBadInput, {"12 bytes, but 13 follow"}),
      Row("D04_Overflow",
          Big(0x803, 4) + Big(0xFFFFFFFF, 4) + Big(0xFFFFFFFF, 4) +
              Big(0xFFFFFFFF, 4),
          kBadInput, {"claims a size"}),
      Row("D04_NoRows", IdxImages(2, 0, 3), kBadInput, {"[2, 0, 3]"}),
      Row("D07_NoImages", IdxImages(0, 2, 3), kMismatch, {"no images"}),
  };
}

InputRow Npz(const std::string& name, const std::string& x,
             const std::string& y, std::optional<ErrorCode> error,
             std::vector<std::string> says = {}) {
  return Row(name, NpzFile(x, y), error, std::move(says));
}

std::vector<InputRow> NpzArchiveRows() {
  const std::string x = NpyFile(NpyDictionary("|u1", "(2, 2)"), "1234");
  const std::string npz = NpzFile(x, "");
  return {
      Row("N10_Bomb",
          MakeZip({{.name = "x.npy",
                    .content = x,
                    .deflated = true,
                    .zip64 = true,
                    .size = 40'000'000'000}}),
          kLimit, {"x.npy"}),
      Row("N10_Checksum", MakeZip({{.name = "x.npy", .content = x, .crc = 7}}),
          kBadInput, {"x.npy", "CRC-32"}),
      Row("N10_Truncated", npz.substr(0, npz.size() / 2), kBadInput,
          {"truncated archive"}),
      Row("N12_OtherMembers",
          MakeZip({{.name = "README", .content = "hello"},
                   {.name = "folder/", .content = ""},
                   {.name = "x.npy", .content = x}}),
          std::nullopt, {"README"}),
      Row("N12_Parent", MakeZip({{.name = "../x.npy", .content = x}}),
          kBadInput, {"leads out"}),
      Row("N13_Empty", MakeZip({}), kMismatch, {"no array \"x\"", "no arrays"}),
      Row("N13_OtherNames", MakeZip({{.name = "images.npy", .content = x}}),
          kMismatch, {"no array \"x\"", "images"}),
      Row("N13_Zip64",
          MakeZip({{.name = "x.npy", .content = x, .zip64 = true}},
                  {.zip64 = true}),
          std::nullopt),
      Row("X03_ArrayBesideItsName",
          MakeZip(
              {{.name = "x", .content = x}, {.name = "x.npy", .content = x}}),
          kBadInput, {"duplicate", "\"x\"", "\"x.npy\""}),
      Row("N13_Deflated",
          MakeZip({{.name = "x.npy", .content = x, .deflated = true}}),
          std::nullopt),
  };
}

std::vector<InputRow> NpzArrayRows() {
  const std::string x = NpyFile(NpyDictionary("|u1", "(2, 2)"), "1234");
  const auto y = [](const std::string& type, const std::string& shape,
                    const std::string& data) {
    return NpyFile(NpyDictionary(type, shape), data);
  };
  const std::string infinity = Little(0x7F800000, 4);
  return {
      Npz("N16_Labels", x, y("<i8", "(2,)", Little(0, 8) + Little(9, 8)),
          std::nullopt),
      Npz("N16_ObjectArray", y("|O", "(2,)", "12"), "", kUnsupported,
          {"array \"x\"", "objects"}),
      Npz("N16_IntegerExamples", y("<i4", "(1,)", "1234"), "", kUnsupported,
          {"\"x\"", "I32"}),
      Npz("N16_Scalar", y("<f4", "()", "1234"), "", kMismatch, {"no examples"}),
      Npz("N16_NoExamples", y("<f4", "(0, 3)", ""), "", kMismatch,
          {"no examples"}),
      Npz("N16_Infinity", y("<f4", "(1,)", infinity), "", kBadInput,
          {"not finite at element 0"}),
      Npz("N16_TooFewLabels", x, y("<i8", "(1,)", Little(0, 8)), kMismatch,
          {"[1]", "2 examples"}),
      Npz("N16_LabelsOfRank2", x, y("|u1", "(2, 1)", "12"), kMismatch,
          {"[2, 1]"}),
      Npz("N16_FloatLabels", x, y("<f4", "(2,)", "12345678"), kUnsupported,
          {"whole numbers"}),
      Npz("N16_NegativeLabel", x, y("|i1", "(2,)", "\x01\xFF"), kBadInput,
          {"-1"}),
      Npz("N16_HugeLabel", x,
          y("<u8", "(2,)", Little(1, 8) + Little(~uint64_t{0}, 8)), kLimit,
          {"\"y\""}),
  };
}

}  // namespace

std::vector<InputRow> IdxRows() {
  std::vector<InputRow> rows = IdxHeaderRows();
  for (const InputRow& row : IdxSizeRows()) rows.push_back(row);
  return rows;
}

std::vector<InputRow> NpzRows() {
  std::vector<InputRow> rows = NpzArchiveRows();
  for (const InputRow& row : NpzArrayRows()) rows.push_back(row);
  return rows;
}

}  // namespace rebasin
