// The header of an .npy file:
//
//   "\x93NUMPY", version (2 bytes), header length (2 bytes, or 4 from version
//   2 on), then a Python dictionary as text, padded with spaces:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }

#include <string_view>

#include "base/checked.h"
#include "formats/limits.h"
#include "formats/npy.h"
#include "formats/npy_literal.h"
#include "formats/safetensors_header.h"
#include "io/bytes.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kVersionAt = 6;
constexpr size_t kLengthAt = 8;
// NumPy refuses longer headers too.
constexpr size_t kMaxNpyHeaderBytes = 10'000;

[[noreturn]] void Fail(const std::string& source, const std::string& what,
                       ErrorCode code = ErrorCode::kBadInput) {
  throw Error(code, source + ": " + what);
}

// Returns the size of the field with the header's length.
size_t CheckVersion(std::span<const std::byte> file,
                    const std::string& source) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              file.size());
  if (!text.starts_with(kMagic)) Fail(source, "not an .npy array");
  if (file.size() <= kLengthAt) Fail(source, "truncated .npy header");
  const int major = static_cast<int>(file[kVersionAt]);
  const int minor = static_cast<int>(file[kVersionAt + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    Fail(source,
         "version " + std::to_string(major) + "." + std::to_string(minor) +
             " of the .npy format; 1.0, 2.0 and 3.0 are supported",
         ErrorCode::kUnsupported);
  }
  return major == 1 ? 2 : 4;
}

// Returns the dictionary; `end` becomes the offset of the elements.
std::string_view HeaderText(std::span<const std::byte> file,
                            const std::string& source, size_t* end) {
  const size_t field = CheckVersion(file, source);
  const size_t begin = kLengthAt + field;
  if (file.size() < begin) Fail(source, "truncated .npy header");
  const size_t length = field == 2 ? LoadLittle<uint16_t>(file, kLengthAt)
                                   : LoadLittle<uint32_t>(file, kLengthAt);
  if (length > kMaxNpyHeaderBytes) {
    Fail(source,
         "the .npy header claims " + std::to_string(length) +
             " bytes; the limit is " + std::to_string(kMaxNpyHeaderBytes),
         ErrorCode::kLimit);
  }
  if (length > file.size() - begin) {
    Fail(source, "truncated .npy header: it claims " + std::to_string(length) +
                     " bytes, but only " + std::to_string(file.size() - begin) +
                     " follow");
  }
  *end = begin + length;
  return {reinterpret_cast<const char*>(file.data()) + begin, length};
}

void CheckSize(const NpyHeader& header, size_t found,
               const std::string& source) {
  const auto expected = DataBytes(header.dtype, header.shape);
  if (!expected) {
    Fail(source, "the size of shape " + ShapeText(header.shape) + " overflows");
  }
  if (static_cast<uint64_t>(*expected) == found) return;
  Fail(source, "shape " + ShapeText(header.shape) + " of " +
                   std::string(DTypeName(header.dtype)) + " takes " +
                   std::to_string(*expected) + " bytes, but " +
                   std::to_string(found) + " follow the header");
}

}  // namespace

NpyHeader ReadNpyHeader(std::span<const std::byte> file,
                        const std::string& source, const NpyOptions& options) {
  size_t data_begin = 0;
  const std::string_view text = HeaderText(file, source, &data_begin);
  NpyHeader header = ParseNpyDictionary(text, source, options);
  header.data_begin = data_begin;
  CheckSize(header, file.size() - data_begin, source);
  return header;
}

}  // namespace rebasin
