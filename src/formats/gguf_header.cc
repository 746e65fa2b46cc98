#include "formats/gguf_header.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "formats/limits.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr size_t kMagicBytes = 4;

[[noreturn]] void FailUnsupported(const std::string& source,
                                  const std::string& what,
                                  const std::string& hint) {
  throw Error(ErrorCode::kUnsupported, source + ": " + what, hint);
}

void ReadVersion(GgufCursor& cursor) {
  constexpr uint32_t kOldest = 2, kNewest = 3;
  cursor.Skip(kMagicBytes, "the mark");
  const auto version = cursor.Number<uint32_t>("the version");
  if (version >= kOldest && version <= kNewest) return;
  const uint32_t swapped = __builtin_bswap32(version);
  if (swapped >= kOldest && swapped <= kNewest) {
    FailUnsupported(cursor.source(), "a big-endian GGUF file",
                    "gguf-convert-endian of the Python package gguf makes it "
                    "little-endian");
  }
  FailUnsupported(
      cursor.source(),
      "GGUF version " + std::to_string(version) + ", not 2 or 3",
      version < kOldest ? "convert the model with a newer llama.cpp" : "");
}

Shape ReadShape(GgufCursor& cursor, const std::string& what) {
  const auto rank = cursor.Number<uint32_t>(what);
  if (rank > kMaxRank) {
    throw Error(ErrorCode::kLimit,
                cursor.source() + ": " + what + " has " + std::to_string(rank) +
                    " axes; the limit is " + std::to_string(kMaxRank));
  }
  Shape shape(rank);
  for (int64_t& size : shape) {
    const auto stored = cursor.Number<uint64_t>(what);
    if (stored > std::numeric_limits<int64_t>::max()) {
      cursor.Fail(what + ": the axis size " + std::to_string(stored) +
                  " is beyond 2^63 - 1");
    }
    size = static_cast<int64_t>(stored);
  }
  std::reverse(shape.begin(), shape.end());
  return shape;
}

GgufTensor ReadTensor(GgufCursor& cursor) {
  GgufTensor tensor;
  tensor.name = cursor.Text("the name of a tensor", kMaxNameBytes);
  if (tensor.name.empty()) cursor.Fail("a tensor has an empty name");
  const std::string what = "tensor " + Quoted(tensor.name);
  tensor.shape = ReadShape(cursor, what);
  tensor.type = cursor.Number<uint32_t>(what);
  tensor.offset = cursor.Number<uint64_t>(what);
  return tensor;
}

std::vector<GgufTensor> ReadTensors(GgufCursor& cursor, uint64_t count) {
  if (count > kMaxTensors) {
    throw Error(ErrorCode::kLimit, cursor.source() + ": the header claims " +
                                       std::to_string(count) +
                                       " tensors; the limit is " +
                                       std::to_string(kMaxTensors));
  }
  std::vector<GgufTensor> tensors;  // grows: the count may be wrong
  for (uint64_t i = 0; i < count; ++i) tensors.push_back(ReadTensor(cursor));
  return tensors;
}

}  // namespace

GgufHeader ReadGgufHeader(std::span<const std::byte> file,
                          const std::string& source) {
  GgufCursor cursor(file, source);
  ReadVersion(cursor);
  const auto tensors = cursor.Number<uint64_t>("the number of tensors");
  const auto metadata = cursor.Number<uint64_t>("the number of metadata");
  GgufHeader header;
  header.metadata = ReadGgufMetadata(cursor, metadata);
  header.tensors = ReadTensors(cursor, tensors);
  const uint64_t alignment = header.metadata.alignment;
  header.data_begin = (cursor.at() + alignment - 1) / alignment * alignment;
  return header;
}

}  // namespace rebasin
