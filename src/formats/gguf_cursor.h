// Reads the header of a GGUF file from front to back. Numbers are
// little-endian, and nothing is read beyond the end.

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

// Every function throws Error(kBadInput) where the file ends too early; `what`
// says for the message what was to be read.
class GgufCursor {
 public:
  // `source` starts messages.
  GgufCursor(std::span<const std::byte> file, const std::string& source)
      : file_(file), source_(source) {}

  // Bytes before and behind the place that is read next.
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

  // A length and so many bytes, which must be UTF-8 without a NUL. Throws
  // Error(kLimit) if there are more than `max_bytes`.
  std::string_view Text(std::string_view what, size_t max_bytes);
  // The same for a text that is not looked at.
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
