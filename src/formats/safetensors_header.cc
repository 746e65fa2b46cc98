#include "formats/safetensors_header.h"

#include <bit>
#include <cassert>
#include <cstring>
#include <nlohmann/json.hpp>

#include "formats/header_visitor.h"
#include "formats/layout.h"
#include "formats/limits.h"
#include "formats/sniff.h"
#include "io/json.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

constexpr int64_t kLengthBytes = 8;

// Checks the first 8 bytes and returns the header's length.
int64_t ReadHeaderLength(std::span<const std::byte> file,
                         const std::string& source) {
  const auto fail = [&](ErrorCode code, const std::string& what) {
    throw Error(code, source + ": " + what);
  };
  const int64_t size = static_cast<int64_t>(file.size());
  if (size < kLengthBytes) {
    fail(ErrorCode::kBadInput,
         "the file is too short for safetensors: " + std::to_string(size) +
             " of 8 header-length bytes");
  }
  uint64_t length;
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(&length, file.data(), sizeof length);
  if (length > static_cast<uint64_t>(size) && !HasJsonHeader(file)) {
    fail(ErrorCode::kBadInput,
         "it is no model of a known format; its first bytes are " +
             FirstBytes(file));
  }
  if (length > static_cast<uint64_t>(kMaxHeaderBytes)) {
    fail(ErrorCode::kLimit, "the header claims " + std::to_string(length) +
                                " bytes; the limit is " +
                                std::to_string(kMaxHeaderBytes));
  }
  if (length == 0) fail(ErrorCode::kBadInput, "the header is empty");
  if (static_cast<int64_t>(length) > size - kLengthBytes) {
    fail(ErrorCode::kBadInput,
         "truncated header: it claims " + std::to_string(length) +
             " bytes, but only " + std::to_string(size - kLengthBytes) +
             " follow");
  }
  return static_cast<int64_t>(length);
}

std::string_view HeaderText(std::span<const std::byte> file, int64_t length) {
  return {reinterpret_cast<const char*>(file.data()) + kLengthBytes,
          static_cast<size_t>(length)};
}

// Removes padding, since the parser would visit each space of it.
std::string_view WithoutPadding(std::string_view text) {
  const size_t last = text.find_last_not_of(' ');
  return text.substr(0, last == std::string_view::npos ? 1 : last + 1);
}

void CheckKind(std::span<const std::byte> file, const std::string& source) {
  const auto kind = SniffWrongKind(file);
  if (!kind) return;
  throw Error(ErrorCode::kBadInput,
              source + ": looks like " + kind->name + ", not safetensors",
              kind->hint);
}

void WarnOfUnknownFields(const HeaderVisitor& visitor,
                         const std::string& source, const Warn& warn) {
  if (!warn) return;
  for (const std::string& field : visitor.unknown_fields()) {
    warn(source + ": unknown field " + Quoted(field) +
         " of tensors is ignored");
  }
}

std::string JsonString(const std::string& text) {
  return nlohmann::json(text).dump();
}

std::string MetadataText(const Metadata& metadata) {
  std::string text = "\"__metadata__\":{";
  for (const auto& [key, value] : metadata) {
    if (text.back() != '{') text += ',';
    text += JsonString(key) + ':' + JsonString(value);
  }
  return text + '}';
}

void AppendTensorText(const TensorPlan& tensor, int64_t begin, int64_t end,
                      std::string& text) {
  text += JsonString(tensor.name) + R"(:{"dtype":")";
  text += DTypeName(tensor.dtype);
  text += R"(","shape":[)";
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(tensor.shape[i]);
  }
  text += R"(],"data_offsets":[)" + std::to_string(begin) + ',' +
          std::to_string(end) + "]}";
}

}  // namespace

SafetensorsHeader ReadSafetensorsHeader(std::span<const std::byte> file,
                                        const std::string& source,
                                        const Warn& warn) {
  CheckKind(file, source);
  const int64_t length = ReadHeaderLength(file, source);
  const JsonText text = {.text = WithoutPadding(HeaderText(file, length)),
                         .source = source,
                         .file_offset = kLengthBytes};
  HeaderVisitor visitor;
  // The number of values is limited by the length and the limits on tensors and
  // rank.
  VisitJson(text,
            {.bytes = kMaxHeaderBytes,
             .depth = kMaxHeaderDepth,
             .values = kMaxHeaderBytes},
            visitor);
  WarnOfUnknownFields(visitor, source, warn);
  SafetensorsHeader header = visitor.Take();
  header.data_offset = kLengthBytes + length;
  CheckLayout(header.tensors,
              static_cast<int64_t>(file.size()) - header.data_offset, source);
  return header;
}

std::string MakeSafetensorsHeader(std::span<const TensorPlan> order,
                                  const Metadata& metadata) {
  std::string text = "{";
  if (!metadata.empty()) text += MetadataText(metadata);
  int64_t end = 0;
  for (const TensorPlan& tensor : order) {
    const int64_t begin = end;
    end += DataBytes(tensor.dtype, tensor.shape).value();
    if (text.size() > 1) text += ',';
    AppendTensorText(tensor, begin, end, text);
  }
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');
  if (static_cast<int64_t>(text.size()) > kMaxHeaderBytes) {
    throw Error(ErrorCode::kLimit,
                "the header would have " + std::to_string(text.size()) +
                    " bytes; the limit is " + std::to_string(kMaxHeaderBytes));
  }
  const uint64_t length = text.size();
  std::string out(sizeof length, '\0');
  std::memcpy(out.data(), &length, sizeof length);
  return out + text;
}

}  // namespace rebasin
