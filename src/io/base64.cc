#include "io/base64.h"

#include <cstdint>

namespace rebasin {

std::string Base64(std::string_view bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k) {
      const size_t i = at + k;
      three =
          three << 8 | (i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) {
      const bool padding = at + k > bytes.size();
      text += padding ? '=' : kDigits[three >> (18 - 6 * k) & 63];
    }
  }
  return text;
}

}  // namespace rebasin
