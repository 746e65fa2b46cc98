#include <cstdint>
#include <cstring>

#include "support/bad_input.h"

namespace rebasin {
namespace {

using enum ErrorCode;

std::string Length(uint64_t length) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes;
}

// A tensor entry from the texts of its fields.
std::string Entry(const std::string& name, const std::string& dtype,
                  const std::string& shape, const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":" + dtype + ",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

std::string F32(const std::string& name, const std::string& shape,
                const std::string& offsets) {
  return Entry(name, "\"F32\"", shape, offsets);
}

// A file of the one tensor "w" with 4 bytes of data.
std::string One(const std::string& dtype, const std::string& shape,
                const std::string& offsets) {
  return File("{" + Entry("w", dtype, shape, offsets) + "}", "1234");
}

std::string Named(const std::string& name) {
  return File("{" + F32(name, "[1]", "[0,4]") + "}", "1234");
}

std::string Two(const std::string& offsets_a, const std::string& offsets_b,
                const std::string& data) {
  return File(
      "{" + F32("a", "[2]", offsets_a) + "," + F32("b", "[1]", offsets_b) + "}",
      data);
}

std::string Repeat(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

InputRow Row(const std::string& name, const std::string& content,
             std::optional<ErrorCode> error,
             std::vector<std::string> says = {}) {
  return {name, [content] { return content; }, error, std::move(says)};
}

std::vector<InputRow> FrameRows() {
  return {
      Row("S01_EmptyFile", "", kBadInput, {"0 of 8 header-length bytes"}),
      Row("S02_OneByte", "a", kBadInput, {"1 of 8"}),
      Row("S02_SevenBytes", "abcdefg", kBadInput, {"7 of 8"}),
      Row("S03_HeaderLengthZero", Length(0), kBadInput, {"empty"}),
      Row("S04_HeaderLongerThanFile", Length(100) + "{}", kBadInput,
          {"truncated header", "100", "2"}),
      Row("S06_HeaderOverLimit", Length(100'000'001) + "{}", kLimit,
          {"100000001", "100000000"}),
      Row("S06_HeaderLengthAllOnes", Length(~0ull) + "{}", kLimit,
          {"18446744073709551615"}),
      Row("S07_OverlongUtf8", File("{\"\xC0\xAF\":1}"), kBadInput,
          {"byte 10", "UTF-8"}),
      Row("S07_LoneSurrogateEscape", File("{\"\\ud800\":1}"), kBadInput,
          {"byte ", "surrogate"}),
      Row("S07_TruncatedUtf8", File("{\"\xE2\x80\":1}"), kBadInput, {"UTF-8"}),
      Row("S08_TruncatedJson", File("{\"a\":"), kBadInput, {"JSON"}),
      Row("S08_TwoValues", File("{}{}"), kBadInput, {"byte 10"}),
      Row("S08_TrailingLetters", File("{}  x"), kBadInput, {"byte 12"}),
      Row("S09_LeadingWhitespace", File(" \n{}"), {}),
      Row("S10_ByteOrderMark", File("\xEF\xBB\xBF{}"), kBadInput,
          {"byte order mark"}),
      Row("S11_NulPadding", File(std::string("{}\0\0", 4)), kBadInput,
          {"byte 10", "pad with spaces"}),
      Row("S11_SpacePadding", File("{}      "), {}),
      Row("S11_OnlySpaces", File("      "), kBadInput, {"JSON"}),
      Row("S12_TopLevelArray", File("[]"), kBadInput,
          {"must be an object", "an array"}),
      Row("S12_TopLevelNumber", File("12"), kBadInput, {"object"}),
      Row("S12_TopLevelString", File("\"a\""), kBadInput, {"object"}),
      Row("S12_TopLevelNull", File("null"), kBadInput, {"object", "null"}),
      Row("S13_NestedArrays", File(Repeat("[", 100'000)), kLimit,
          {"deeper", "64"}),
      Row("S13_NestedArraysAsTensor", File("{\"a\":" + Repeat("[", 100'000)),
          kLimit, {"deeper", "64"}),
      Row("S13_NestedArraysInUnknownField",
          File("{\"a\":{\"x\":" + Repeat("[", 100'000)), kLimit,
          {"deeper", "64"}),
  };
}

std::vector<InputRow> FieldRows() {
  const std::string ok = F32("w", "[1]", "[0,4]");
  return {
      Row("S15_MetadataTwice",
          File("{\"__metadata__\":{},\"__metadata__\":{}}"), kBadInput,
          {"duplicate", "__metadata__"}),
      Row("S15_MetadataKeyTwice",
          File("{\"__metadata__\":{\"k\":\"\",\"k\":\"\"}}"), kBadInput,
          {"duplicate", "\"k\""}),
      Row("S15_MetadataIsArray", File("{\"__metadata__\":[]}"), kBadInput,
          {"__metadata__", "an array"}),
      Row("S15_MetadataValueIsNumber", File("{\"__metadata__\":{\"k\":1}}"),
          kBadInput, {"__metadata__", "\"k\"", "string"}),
      Row("S15_MetadataValueIsObject", File("{\"__metadata__\":{\"k\":{}}}"),
          kBadInput, {"\"k\""}),
      Row("S16_MissingDtype",
          File("{\"w\":{\"shape\":[1],\"data_offsets\":[0,4]}}", "1234"),
          kBadInput, {"\"w\"", "\"dtype\" is missing"}),
      Row("S16_MissingShape",
          File("{\"w\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", "1234"),
          kBadInput, {"\"w\"", "\"shape\" is missing"}),
      Row("S16_MissingOffsets",
          File("{\"w\":{\"dtype\":\"F32\",\"shape\":[1]}}", "1234"), kBadInput,
          {"\"w\"", "\"data_offsets\" is missing"}),
      Row("S16_DtypeIsNumber", One("32", "[1]", "[0,4]"), kBadInput,
          {"\"w\"", "dtype must be a string"}),
      Row("S16_ShapeIsNumber", One("\"F32\"", "1", "[0,4]"), kBadInput,
          {"\"w\"", "shape must be an array"}),
      Row("S16_OffsetsAreString", One("\"F32\"", "[1]", "\"0,4\""), kBadInput,
          {"\"w\"", "data_offsets must be an array"}),
      Row("S16_EntryIsArray", File("{\"w\":[]}"), kBadInput,
          {"\"w\" must be an object"}),
      Row("S16_FieldTwice",
          File("{\"w\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}"), kBadInput,
          {"duplicate field", "dtype"}),
      Row("S17_UnknownField",
          File(R"({"w":{"co\u001blour":[{"a":1}],"dtype":"F32","shape":[1],)"
               R"("data_offsets":[0,4]}})",
               "1234"),
          {}, {"unknown field \"co\\u001blour\""}),
      Row("S18_UnknownDtype", One("\"F33\"", "[1]", "[0,4]"), kUnsupported,
          {"\"w\"", "\"F33\""}),
      Row("S18_LowercaseDtype", One("\"f32\"", "[1]", "[0,4]"), kUnsupported,
          {"\"f32\""}),
      Row("S18_EmptyDtype", One("\"\"", "[1]", "[0,4]"), kUnsupported,
          {"\"\""}),
      Row("S18_UnknownDtypeDoesNotExcuseAHole", One("\"F33\"", "[1]", "[1,4]"),
          kBadInput, {"hole"}),
      Row("S19_PassThroughDtype", One("\"F8_E4M3\"", "[4]", "[0,4]"), {}),
      Row("S19_SubByteDtype", One("\"F4\"", "[8]", "[0,4]"), {}),
      Row("S19_SubByteDtypeWithHalfAByte", One("\"F4\"", "[7]", "[0,4]"),
          kBadInput, {"whole number of bytes"}),
      Row("S20_NegativeDim", One("\"F32\"", "[-1]", "[0,4]"), kBadInput,
          {"\"w\"", "shape", "-1"}),
      Row("S20_FractionalDim", One("\"F32\"", "[1.5]", "[0,4]"), kBadInput,
          {"1.5"}),
      Row("S20_ExponentDim", One("\"F32\"", "[1e0]", "[0,4]"), kBadInput,
          {"shape"}),
      Row("S20_StringDim", One("\"F32\"", "[\"1\"]", "[0,4]"), kBadInput,
          {"a string"}),
      Row("S20_NullDim", One("\"F32\"", "[null]", "[0,4]"), kBadInput,
          {"null"}),
      Row("S20_NestedDim", One("\"F32\"", "[[1]]", "[0,4]"), kBadInput,
          {"an array"}),
      Row("S20_DimOf2To64", One("\"F32\"", "[18446744073709551616]", "[0,4]"),
          kBadInput, {"shape", "1.8446744073709552e+19"}),
      Row("S20_DimOf2To63", One("\"F32\"", "[9223372036854775808]", "[0,4]"),
          kBadInput, {"9223372036854775808"}),
      Row("S21_Rank16", One("\"F32\"", "[1" + Repeat(",1", 15) + "]", "[0,4]"),
          {}),
      Row("S21_Rank17", One("\"F32\"", "[1" + Repeat(",1", 16) + "]", "[0,4]"),
          kLimit, {"\"w\"", "16"}),
      Row("S21_TenThousandDims",
          One("\"F32\"", "[1" + Repeat(",1", 9'999) + "]", "[0,4]"), kLimit,
          {"16"}),
      Row("S23_ProductFitsButBytesOverflow",
          One("\"F32\"", "[4611686018427387904]", "[0,4]"), kBadInput,
          {"\"w\"", "overflows"}),
      Row("S23_ProductWrapsToZero",
          One("\"F32\"", "[4294967296,4294967296]", "[0,4]"), kBadInput,
          {"overflows"}),
      Row("S23_ZeroDoesNotExcuseOverflow",
          One("\"F32\"", "[4294967296,4294967296,0]", "[0,0]"), kBadInput,
          {"overflows"}),
  };
}

std::vector<InputRow> LayoutRows() {
  return {
      Row("S24_BeginAfterEnd", One("\"F32\"", "[1]", "[4,0]"), kBadInput,
          {"\"w\"", "[4, 0]"}),
      Row("S24_NegativeOffset", One("\"F32\"", "[1]", "[-4,0]"), kBadInput,
          {"data_offsets", "-4"}),
      Row("S24_ThreeOffsets", One("\"F32\"", "[1]", "[0,2,4]"), kBadInput,
          {"2 numbers, not 3"}),
      Row("S24_OneOffset", One("\"F32\"", "[1]", "[0]"), kBadInput,
          {"2 numbers, not 1"}),
      Row("S24_NoOffset", One("\"F32\"", "[1]", "[]"), kBadInput,
          {"2 numbers, not 0"}),
      Row("S25_EndBeyondData", One("\"F32\"", "[2]", "[0,8]"), kBadInput,
          {"\"w\"", "[0, 8]", "4 bytes short"}),
      Row("S26_RangeOfWrongLength", One("\"F32\"", "[2]", "[0,4]"), kBadInput,
          {"takes 8 bytes", "span 4"}),
      Row("S27_PartialOverlap", Two("[0,8]", "[4,8]", "12345678"), kBadInput,
          {"\"b\"", "overlap", "\"a\""}),
      Row("S27_WholeOverlap",
          File("{" + F32("a", "[1]", "[0,4]") + "," + F32("b", "[1]", "[0,4]") +
                   "}",
               "1234"),
          kBadInput, {"\"b\"", "overlap", "\"a\""}),
      Row("S28_HoleBetween", Two("[0,8]", "[9,13]", "1234567890123"), kBadInput,
          {"\"b\"", "hole of 1 bytes"}),
      Row("S28_HoleAtStart",
          File("{" + F32("a", "[1]", "[4,8]") + "}", "12345678"), kBadInput,
          {"hole of 4 bytes"}),
      Row("S28_BytesAfterTheLastTensor",
          File("{" + F32("a", "[1]", "[0,4]") + "}", "123456"), kBadInput,
          {"2 bytes follow"}),
      Row("S30_OneByteShort", Two("[0,8]", "[8,12]", "12345678901"), kBadInput,
          {"1 bytes short", "partial download"}),
      Row("S30_HalfMissing", Two("[0,8]", "[8,12]", "123456"), kBadInput,
          {"6 bytes short"}),
      Row("S31_ZeroSizeTensor",
          File("{" + F32("a", "[2,0]", "[0,0]") + "," +
                   F32("b", "[1]", "[0,4]") + "}",
               "1234"),
          {}),
      Row("S31_ZeroSizeTensorWithBytes", One("\"F32\"", "[2,0]", "[0,4]"),
          kBadInput, {"takes 0 bytes", "span 4"}),
      Row("S32_Scalar", One("\"F32\"", "[]", "[0,4]"), {}),
      Row("S33_NoTensors", File("{}"), {}),
      Row("S34_NameWithNul", Named("a\\u0000b"), kBadInput,
          {"a\\u0000b", "NUL"}),
      Row("S35_NameWithNewline", Named("a\\nb"), {}),
      Row("S35_NameWithEscape", Named("a\\u001b[31m"), {}),
      Row("S35_NameWithRightToLeftMark", Named("a\\u202eb"), {}),
      Row("S35_NameOf4096Bytes", Named(std::string(4096, 'n')), {}),
      Row("S35_NameOf4097Bytes", Named(std::string(4097, 'n')), kLimit,
          {"4097", "4096"}),
      Row("S35_EmptyName", Named(""), kBadInput, {"empty tensor name"}),
      Row("S36_NameTwice",
          File("{" + F32("w", "[1]", "[0,4]") + "," + F32("w", "[1]", "[4,8]") +
                   "}",
               "12345678"),
          kBadInput, {"\"w\"", "twice"}),
      Row("S40_BoolTensorWithByte7",
          File("{" + Entry("w", "\"BOOL\"", "[1]", "[0,1]") + "}", "\7"), {}),
  };
}

std::vector<InputRow> WrongKindRows() {
  const std::string lfs =
      "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";
  const std::string zeros(64, '\0');
  return {
      Row("S38_GitLfsPointer", lfs, kBadInput,
          {"Git LFS pointer", "not safetensors", "git lfs pull"}),
      Row("S39_Html", "<!DOCTYPE html><html><body>404</body></html>", kBadInput,
          {"looks like an HTML page, not safetensors"}),
      Row("S39_Gzip", "\x1F\x8B\x08" + zeros, kBadInput, {"gzip"}),
      Row("S39_Zip", "PK\x03\x04" + zeros, kBadInput, {"truncated archive"}),
      Row("S39_Pickle", "\x80\x02}q" + zeros, kUnsupported, {"pickle"}),
      Row("S39_Png", "\x89PNG\r\n\x1A\n" + zeros, kBadInput, {"PNG"}),
      Row("S39_Ggml", "tjgg\x03" + zeros, kBadInput, {"GGML", "GGUF"}),
      Row("S39_Json", "{\"weight_map\": {}}", kBadInput, {"JSON"}),
      Row("X10_Text", "Entry not found", kBadInput,
          {"looks like text: \"Entry not found\"", "download"}),
      Row("X10_LongText",
          "\n\nInvalid credentials in the Authorization header, f\xC3\xBCr "
          "immer und ewig" +
              std::string(1000, '.'),
          kBadInput, {"looks like text: \"Invalid credentials"}),
      Row("X10_Html", "\n  <html>\n<head><title>403 Forbidden</title>",
          kBadInput, {"an HTML page", "download"}),
      Row("X10_TfLite", std::string("\x1C\0\0\0TFL3", 8) + zeros, kBadInput,
          {"looks like a TFLite model"}),
      Row("X10_SavedModel", "\x08\x01\x12\xD3\x0F\x0A\x32" + zeros, kBadInput,
          {"looks like a TensorFlow SavedModel"}),
      Row("X10_MessagePack",
          "\x82\xA6params\x81\xA5"
          "Dense" +
              zeros,
          kBadInput, {"looks like a MessagePack file"}),
      Row("X10_7z", "7z\xBC\xAF\x27\x1C" + zeros, kBadInput,
          {"looks like a 7z archive"}),
      Row("X10_Hdf5", "\x89HDF\r\n\x1A\n" + zeros, kBadInput,
          {"looks like an HDF5 file", "load it in Keras"}),
      Row("X10_Zstd", "\x28\xB5\x2F\xFD\x04" + zeros, kBadInput, {"zstd"}),
      Row("X10_Unknown", "\x01\x02\x03\x04\x05\x06\x07\x08 and more", kBadInput,
          {"no model of a known format", "01 02 03 04 05 06 07 08"}),
  };
}

}  // namespace

std::string File(const std::string& header, const std::string& data) {
  return Length(header.size()) + header + data;
}

std::vector<InputRow> SafetensorsRows() {
  std::vector<InputRow> rows;
  for (const auto& part :
       {FrameRows(), FieldRows(), LayoutRows(), WrongKindRows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

}  // namespace rebasin
