// Decodes UTF-8 one character at a time.

#ifndef REBASIN_BASE_UTF8_H_
#define REBASIN_BASE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rebasin {

struct Utf8Character {
  uint32_t code = 0;
  size_t length = 0;  // in bytes; 0: the bytes are not UTF-8
};

// Decodes the first character of a text that is not empty. Overlong forms,
// surrogates and codes beyond Unicode are invalid.
Utf8Character DecodeUtf8(std::string_view text);

// True for the second and later bytes of a character.
inline bool IsUtf8Continuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

bool IsUtf8(std::string_view text);

}  // namespace rebasin

#endif  // REBASIN_BASE_UTF8_H_
