#include "support/bad_input.h"
#include "support/npy_files.h"

namespace rebasin {
namespace {

using enum ErrorCode;

InputRow Row(const std::string& name, const std::string& content,
             std::optional<ErrorCode> error,
             std::vector<std::string> says = {}) {
  return {name, [content] { return content; }, error, std::move(says)};
}

// Four bytes of one element with this text for a header.
InputRow Header(const std::string& name, const std::string& text,
                std::optional<ErrorCode> error,
                std::vector<std::string> says = {}) {
  return Row(name, NpyFile(text, "1234"), error, std::move(says));
}

InputRow Type(const std::string& name, const std::string& type,
              std::vector<std::string> says = {}) {
  return Header(name, NpyDictionary(type, "(1,)"), kUnsupported,
                std::move(says));
}

InputRow ShapeRow(const std::string& name, const std::string& shape,
                  ErrorCode error, std::vector<std::string> says = {}) {
  return Header(name, NpyDictionary("<f4", shape), error, std::move(says));
}

std::vector<InputRow> FrameRows() {
  const std::string text = NpyDictionary("<f4", "(1,)");
  return {
      Row("N00_Version1", NpyFile(text, "1234", 1), std::nullopt),
      Row("N00_Version2", NpyFile(text, "1234", 2), std::nullopt),
      Row("N00_Version3", NpyFile(text, "1234", 3), std::nullopt),
      Row("N01_Empty", "", kBadInput, {"not an .npy array"}),
      Row("N01_BadMagic", "NUMPY" + NpyFile(text, "1234"), kBadInput,
          {"not an .npy array"}),
      Row("N01_Version9", NpyFile(text, "1234", 9), kUnsupported,
          {"version 9.0"}),
      Row("N01_OnlyMagic", "\x93NUMPY", kBadInput, {"truncated"}),
      Row("N01_OnlyVersion", std::string("\x93NUMPY\2\0\1", 9), kBadInput,
          {"truncated"}),
      Row("N02_LongHeader", NpyFile(text + std::string(10'000, ' '), "1234", 2),
          kLimit, {"10000"}),
      Row("N02_BeyondTheFile",
          std::string("\x93NUMPY\1\0", 8) + "\x50" + std::string(1, '\0') +
              text.substr(0, 20),
          kBadInput, {"claims 80 bytes", "20 follow"}),
      Row("N09_DataCut", NpyFile(text, "123"), kBadInput,
          {"takes 4 bytes, but 3"}),
      Row("N09_DataTooLong", NpyFile(text, "12345"), kBadInput,
          {"takes 4 bytes, but 5"}),
  };
}

std::vector<InputRow> DictionaryRows() {
  const std::string order = "'fortran_order': False, ";
  const std::string shape = "'shape': (1,), ";
  const std::string descr = "'descr': '<f4', ";
  return {
      Header("N00_DoubleQuotes",
             R"({"descr": "<f4", "fortran_order": False, "shape": (1,)})",
             std::nullopt),
      Header("N00_OtherOrder", "{" + shape + order + descr + "}", std::nullopt),
      Header("N03_Empty", "", kBadInput, {"'{'"}),
      Header("N03_List", "[1, 2]", kBadInput, {"'{'"}),
      Header("N03_NoShape", "{" + descr + order + "}", kBadInput,
             {"no key 'shape'"}),
      Header("N03_NoOrder", "{" + descr + shape + "}", kBadInput,
             {"no key 'fortran_order'"}),
      Header("N03_NoDescr", "{" + order + shape + "}", kBadInput,
             {"no key 'descr'"}),
      Header("N03_ExtraKey", "{" + descr + order + shape + "'x': 1}", kBadInput,
             {"each once"}),
      Header("N03_KeyTwice", "{" + descr + order + shape + shape + "}",
             kBadInput, {"each once"}),
      Header("N03_Expression",
             "{" + descr + order + "'shape': (__import__('os').getpid(),)}",
             kBadInput, {"a whole number"}),
      Header("N03_Call", "__import__('os').system('true')", kBadInput),
      Header("N03_TrailingText", "{" + descr + order + shape + "} + {}",
             kBadInput, {"the end of the header"}),
      Header("N03_OrderIsNumber",
             "{" + descr + "'fortran_order': 0, " + shape + "}", kBadInput,
             {"True or False"}),
      Header("N03_NotClosed", "{" + descr + order + shape, kBadInput),
      Header("N03_Escape", "{'descr': '\\x3cf4', " + order + shape + "}",
             kBadInput, {"plain string"}),
  };
}

std::vector<InputRow> TypeRows() {
  return {
      Type("N04_Object", "|O", {"objects", "never"}),
      Header("N05_Structured",
             "{'descr': [('a', '<f4')], 'fortran_order': False, "
             "'shape': (1,), }",
             kUnsupported, {"structured"}),
      Type("N05_Unicode", "<U1", {"<U1"}),
      Type("N05_Bytes", "|S4", {"|S4"}),
      Type("N05_Datetime", "<M8[ns]", {"<M8[ns]"}),
      Type("N05_Float128", "<f16", {"<f16"}),
      Type("N05_NoByteOrder", "f4", {"f4"}),
      Type("N15_Bfloat16", "<V2", {"\"<V2\"", "bfloat16", "--npy-bf16"}),
      Type("N15_TwoBytesInNoOrder", "|V2", {"\"|V2\"", "--npy-bf16"}),
      Type("N15_FourBytes", "<V4", {"\"<V4\""}),
      Row("N06_BigEndian", NpyFile(NpyDictionary(">f4", "(1,)"), "1234"),
          std::nullopt),
      Row("N14_Scalar", NpyFile(NpyDictionary("<f4", "()"), "1234"),
          std::nullopt),
      Row("N14_NoElements", NpyFile(NpyDictionary("<f4", "(0, 3)"), ""),
          std::nullopt),
  };
}

std::vector<InputRow> ShapeRows() {
  return {
      ShapeRow("N08_Negative", "(-1,)", kBadInput, {"whole number"}),
      ShapeRow("N08_Overflow", "(4294967296, 4294967296)", kBadInput,
               {"overflows"}),
      ShapeRow("N08_BytesOverflow", "(4611686018427387904,)", kBadInput,
               {"overflows"}),
      ShapeRow("N08_TwoTo63", "(9223372036854775808,)", kBadInput,
               {"2^63 - 1"}),
      ShapeRow("N08_NotATuple", "(1)", kBadInput, {"','"}),
      ShapeRow("N08_Float", "(1.0,)", kBadInput),
      ShapeRow("N08_ManyAxes",
               "(" +
                   [] {
                     std::string ones;
                     for (int i = 0; i < 17; ++i) ones += "1, ";
                     return ones;
                   }() +
                   ")",
               kLimit, {"16 axes"}),
  };
}

}  // namespace

std::vector<InputRow> NpyRows() {
  std::vector<InputRow> rows = FrameRows();
  for (const auto& more : {DictionaryRows(), TypeRows(), ShapeRows()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

}  // namespace rebasin
