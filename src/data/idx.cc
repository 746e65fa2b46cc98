// A file has a magic number, the size of each axis, and the elements. The bytes
// of the magic number are 0, 0, the element type and the number of axes.
// Numbers are big-endian.

#include "data/idx.h"

#include <cstdio>
#include <string_view>

#include "base/checked.h"
#include "formats/sniff.h"
#include "io/bytes.h"
#include "io/inflate.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t kUnsignedBytes = 0x08;

[[noreturn]] void Fail(const std::string& source, const std::string& what,
                       ErrorCode code = ErrorCode::kBadInput,
                       const std::string& hint = "") {
  throw Error(code, source + ": " + what, hint);
}

std::string Hex(uint32_t number) {
  char text[11];
  std::snprintf(text, sizeof text, "0x%08x", number);
  return text;
}

uint32_t MagicOf(IdxContent content) {
  return kUnsignedBytes << 8 | static_cast<uint32_t>(content);
}

const char* NameOf(IdxContent content) {
  return content == IdxContent::kImages ? "images" : "labels";
}

size_t HeaderBytes(IdxContent content) {
  return 4 + 4 * static_cast<size_t>(content);
}

bool IsGzip(Bytes file) {
  return file.size() >= 2 && file[0] == std::byte{0x1F} &&
         file[1] == std::byte{0x8B};
}

// Types of the format that are not supported: signed and wider integers,
// floats.
bool IsOtherType(uint32_t type) {
  return type == 0x09 || (type >= 0x0B && type <= 0x0E);
}

void CheckMagic(Bytes header, IdxContent content, const std::string& source) {
  const uint32_t magic = LoadBig<uint32_t>(header, 0);
  if (magic == MagicOf(content)) return;
  const std::string expected = std::string("; ") + NameOf(content) +
                               " start with " + Hex(MagicOf(content));
  const IdxContent other = content == IdxContent::kImages ? IdxContent::kLabels
                                                          : IdxContent::kImages;
  if (magic == MagicOf(other)) {
    Fail(source, "an IDX file of " + std::string(NameOf(other)) + " (" +
                     Hex(magic) + "), expected " + NameOf(content) + " (" +
                     Hex(MagicOf(content)) + ")");
  }
  if (LoadLittle<uint32_t>(header, 0) == MagicOf(content)) {
    Fail(source, "the IDX header is little-endian" + expected,
         ErrorCode::kBadInput, "write its numbers with the highest byte first");
  }
  if (magic >> 16 == 0 && IsOtherType(magic >> 8)) {
    Fail(source,
         "IDX elements of type " + Hex(magic >> 8) +
             " are not supported, only unsigned bytes (0x08)",
         ErrorCode::kUnsupported);
  }
  if (magic >> 8 == kUnsignedBytes) {
    Fail(source, "the IDX array has " + std::to_string(magic & 0xFF) + " axes" +
                     expected);
  }
  const auto kind = SniffWrongKind(header);
  Fail(source, "starts with " + Hex(magic) +
                   (kind ? " and looks like " + kind->name : "") + expected);
}

Shape ReadShape(Bytes header, IdxContent content, const std::string& source) {
  Shape shape;
  for (size_t at = 4; at < HeaderBytes(content); at += 4) {
    shape.push_back(LoadBig<uint32_t>(header, at));
  }
  if (shape[0] == 0) {
    Fail(source, std::string("the file holds no ") + NameOf(content),
         ErrorCode::kMismatch);
  }
  return shape;
}

// The number of elements, each of one byte.
int64_t PayloadBytes(const Shape& shape, const std::string& source) {
  const auto size = CheckedProduct(shape);
  if (!size || *size == 0) {
    Fail(source, "the IDX header claims a size of " + ShapeText(shape));
  }
  return *size;
}

void RequireHeader(size_t found, IdxContent content,
                   const std::string& source) {
  if (found >= HeaderBytes(content)) return;
  Fail(source, "truncated IDX header: " + std::to_string(found) + " of " +
                   std::to_string(HeaderBytes(content)) + " bytes");
}

IdxArray ReadPlain(Bytes file, IdxContent content, const std::string& source) {
  if (file.size() >= 4) CheckMagic(file, content, source);
  RequireHeader(file.size(), content, source);
  IdxArray array;
  array.shape = ReadShape(file, content, source);
  const int64_t size = PayloadBytes(array.shape, source);
  const Bytes payload = file.subspan(HeaderBytes(content));
  if (payload.size() != static_cast<uint64_t>(size)) {
    Fail(source, "the IDX header claims " + ShapeText(array.shape) +
                     ", that is " + std::to_string(size) + " bytes, but " +
                     std::to_string(payload.size()) + " follow it");
  }
  const auto* begin = reinterpret_cast<const uint8_t*>(payload.data());
  array.values.assign(begin, begin + payload.size());
  return array;
}

IdxArray ReadGzip(Bytes file, IdxContent content, const std::string& source) {
  Inflater inflater(file, Deflated::kGzip, source);
  std::vector<uint8_t> header(HeaderBytes(content));
  header.resize(inflater.Read(header));
  const Bytes bytes = std::as_bytes(std::span(header));
  if (bytes.size() >= 4) CheckMagic(bytes, content, source);
  RequireHeader(bytes.size(), content, source);
  IdxArray array;
  array.shape = ReadShape(bytes, content, source);
  const int64_t size = PayloadBytes(array.shape, source);
  const int64_t most = MostInflated(static_cast<int64_t>(file.size()));
  if (size > most) {
    Fail(source,
         "the IDX header claims " + std::to_string(size) +
             " bytes; the limit for " + std::to_string(file.size()) +
             " compressed bytes is " + std::to_string(most),
         ErrorCode::kLimit);
  }
  array.values = inflater.ReadRest(size);
  return array;
}

}  // namespace

IdxArray ReadIdx(Bytes file, IdxContent content, const std::string& source) {
  return IsGzip(file) ? ReadGzip(file, content, source)
                      : ReadPlain(file, content, source);
}

}  // namespace rebasin
