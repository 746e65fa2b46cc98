// Reads numbers at any position of a file, in either byte order.

#ifndef REBASIN_IO_BYTES_H_
#define REBASIN_IO_BYTES_H_

#include <cassert>
#include <concepts>
#include <cstddef>
#include <span>

namespace rebasin {

// The number in the bytes [at, at + sizeof(T)), which must be inside.
template <std::unsigned_integral T>
T LoadLittle(std::span<const std::byte> bytes, size_t at) {
  assert(at <= bytes.size() && sizeof(T) <= bytes.size() - at);
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<T>(bytes[at + i]) << (8 * i));
  }
  return value;
}

template <std::unsigned_integral T>
T LoadBig(std::span<const std::byte> bytes, size_t at) {
  assert(at <= bytes.size() && sizeof(T) <= bytes.size() - at);
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<T>(bytes[at + i])
                            << (8 * (sizeof(T) - 1 - i)));
  }
  return value;
}

}  // namespace rebasin

#endif  // REBASIN_IO_BYTES_H_
