// Protobuf's encoding, by hand: what no library would write.

#ifndef REBASIN_TESTS_SUPPORT_WIRE_H_
#define REBASIN_TESTS_SUPPORT_WIRE_H_

#include <cstdint>
#include <string>

namespace rebasin {

inline std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  return bytes + static_cast<char>(value);
}

// A message or text as a field of another message, by the byte before it.
inline std::string Wrap(char tag, const std::string& bytes) {
  return tag + Varint(bytes.size()) + bytes;
}

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_WIRE_H_
