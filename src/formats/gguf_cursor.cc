#include "formats/gguf_cursor.h"

#include "base/utf8.h"
#include "rebasin/error.h"

namespace rebasin {

void GgufCursor::Fail(const std::string& message) const {
  throw Error(ErrorCode::kBadInput, source_ + ": " + message);
}

void GgufCursor::Require(uint64_t bytes, std::string_view what) const {
  if (bytes <= left()) return;
  throw Error(ErrorCode::kBadInput,
              source_ + ": truncated GGUF header: " + std::string(what) +
                  " at byte " + std::to_string(at_) + " takes " +
                  std::to_string(bytes) + " bytes, but only " +
                  std::to_string(left()) + " follow",
              "it may be a partial download");
}

std::string_view GgufCursor::Bytes(uint64_t count, std::string_view what) {
  Require(count, what);
  const std::string_view bytes(
      reinterpret_cast<const char*>(file_.data()) + at_, count);
  at_ += count;
  return bytes;
}

std::string_view GgufCursor::Text(std::string_view what, size_t max_bytes) {
  const auto size = Number<uint64_t>(what);
  Require(size, what);
  if (size > max_bytes) {
    throw Error(ErrorCode::kLimit, source_ + ": " + std::string(what) +
                                       " has " + std::to_string(size) +
                                       " bytes; the limit is " +
                                       std::to_string(max_bytes));
  }
  const std::string_view text = Bytes(size, what);
  if (IsUtf8(text) && text.find('\0') == text.npos) return text;
  Fail(std::string(what) + " is no UTF-8 text without NUL: " + Quoted(text));
}

void GgufCursor::SkipText(std::string_view what) {
  Skip(Number<uint64_t>(what), what);
}

void GgufCursor::Skip(uint64_t bytes, std::string_view what) {
  Bytes(bytes, what);
}

}  // namespace rebasin
