#include "rebasin/error.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "base/utf8.h"

namespace rebasin {
namespace {

// Control characters, and invisible characters that reorder or hide text.
bool IsUnsafeToShow(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) ||
         (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || code == 0x61C;
}

std::string Escape(uint32_t code, const char* format) {
  std::array<char, 16> buffer;
  std::snprintf(buffer.data(), buffer.size(), format, code);
  return buffer.data();
}

// The number of leading bytes that are printable ASCII: usually all.
size_t PlainBytes(std::string_view text) {
  const auto end = std::find_if(text.begin(), text.end(), [](unsigned char c) {
    return c < 0x20 || c >= 0x7F;
  });
  return static_cast<size_t>(end - text.begin());
}

std::string EscapeUnsafe(std::string_view text) {
  std::string out(text.substr(0, PlainBytes(text)));
  text.remove_prefix(out.size());
  while (!text.empty()) {
    const Utf8Character decoded = DecodeUtf8(text);
    const size_t length = decoded.length == 0 ? 1 : decoded.length;
    if (decoded.length == 0) {
      out += Escape(static_cast<unsigned char>(text[0]), "\\x%02x");
    } else if (decoded.code == '\n') {
      out += "\\n";
    } else if (IsUnsafeToShow(decoded.code)) {
      out += Escape(decoded.code, "\\u%04x");
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

// The largest cut position <= `at` that does not split a character.
size_t CharacterStart(std::string_view text, size_t at) {
  while (at > 0 && IsUtf8Continuation(static_cast<unsigned char>(text[at])))
    --at;
  return at;
}

}  // namespace

Error::Error(ErrorCode code, const std::string& message, std::string hint)
    : std::runtime_error(message), code_(code), hint_(std::move(hint)) {}

int Error::ExitCode() const {
  switch (code_) {
    case ErrorCode::kUsage:
      return 2;
    case ErrorCode::kBadInput:
      return 3;
    case ErrorCode::kUnsupported:
      return 3;
    case ErrorCode::kMismatch:
      return 4;
    case ErrorCode::kIo:
      return 5;
    case ErrorCode::kLimit:
      return 6;
    case ErrorCode::kStopped:
      return 130;
  }
  return 70;
}

std::string Printable(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return EscapeUnsafe(text);
  const size_t head = CharacterStart(text, max_bytes / 2);
  const size_t tail = CharacterStart(text, text.size() - max_bytes / 2);
  return EscapeUnsafe(text.substr(0, head)) + "[" +
         std::to_string(tail - head) + " bytes]" +
         EscapeUnsafe(text.substr(tail));
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : Printable(text)) {
    if (c == '"') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace rebasin
