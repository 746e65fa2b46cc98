// Reads the header of a GGUF file sequentially. Numbers are little-endian, and
// nothing is read beyond the end.

#ifndef REBASIN_FORMATS_GGUF_CURSOR_H_
#define REBASIN_FORMATS_GGUF_CURSOR_H_

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/bytes.h"

namespace rebasin {

// All functions throw Error(kBadInput) if the file ends too early; `what` names
// the item for the message.
class GgufCursor {
 public:
  // `source` is the start of messages.
  GgufCursor(std::span<const std::byte> file, const std::string& source)
      : file_(file), source_(source) {}

  // The number of bytes before and after the next position.
  size_t at() const { return at_; }
  size_t left() const { return file_.size() - at_; }
  const std::string& source() const { return source_; }

  template <std::unsigned_integral T>
  T Number(std::string_view what) {
    Require(sizeof(T), what);
    const T value = LoadLittle<T>(file_, at_);
    at_ += sizeof(T);
    return value;
  }

  // Reads a length and that many bytes, which must be UTF-8 without NUL. Throws
  // Error(kLimit) if there are more than `max_bytes`.
  std::string_view Text(std::string_view what, size_t max_bytes);
  // Skips a string without checking its characters.
  void SkipText(std::string_view what);
  void Skip(uint64_t bytes, std::string_view what);

  [[noreturn]] void Fail(const std::string& message) const;

 private:
  void Require(uint64_t bytes, std::string_view what) const;
  std::string_view Bytes(uint64_t count, std::string_view what);

  std::span<const std::byte> file_;
  const std::string& source_;
  size_t at_ = 0;
};

}  // namespace rebasin

#endif  // REBASIN_FORMATS_GGUF_CURSOR_H_
