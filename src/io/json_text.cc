#include "io/json_text.h"

#include <algorithm>

namespace rebasin {

std::string JsonPosition(const JsonText& text, size_t index) {
  if (text.file_offset >= 0) {
    return "byte " +
           std::to_string(text.file_offset + static_cast<int64_t>(index)) +
           " of the file";
  }
  const std::string_view before =
      text.text.substr(0, std::min(index, text.text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return "line " + std::to_string(line) + ", column " +
         std::to_string(before.size() - line_start + 1);
}

void ThrowJson(ErrorCode code, const JsonText& text, size_t index,
               const std::string& what, const std::string& hint) {
  throw Error(
      code, text.source + ": " + JsonPosition(text, index) + ": " + what, hint);
}

void CheckJsonDepth(const JsonText& text, const JsonLimits& limits) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.text.size(); ++i) {
    const char c = text.text[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (in_string) continue;
    if (c == ']' || c == '}') --depth;
    if (c != '[' && c != '{') continue;
    if (++depth > limits.depth) ThrowJsonDepth(text, i, limits);
  }
}

void ThrowJsonDepth(const JsonText& text, size_t index,
                    const JsonLimits& limits) {
  ThrowJson(ErrorCode::kLimit, text, index,
            "nested deeper than the limit of " + std::to_string(limits.depth) +
                " levels");
}

void CheckJsonBytes(const JsonText& text, const JsonLimits& limits) {
  if (static_cast<int64_t>(text.text.size()) > limits.bytes) {
    throw Error(ErrorCode::kLimit, text.source + ": the JSON text has " +
                                       std::to_string(text.text.size()) +
                                       " bytes; the limit is " +
                                       std::to_string(limits.bytes));
  }
  if (text.text.starts_with("\xEF\xBB\xBF")) {
    ThrowJson(ErrorCode::kBadInput, text, 0,
              "starts with a UTF-8 byte order mark",
              "save it as UTF-8 without a byte order mark");
  }
  const size_t nul = text.text.find('\0');
  if (nul != std::string_view::npos) {
    ThrowJson(ErrorCode::kBadInput, text, nul, "NUL byte in JSON text",
              "pad with spaces, not NUL bytes");
  }
}

}  // namespace rebasin
