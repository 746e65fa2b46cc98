// Positions in JSON text, and an input iterator that remembers how far the
// parser has come: the parser itself tells its position only when it fails.

#ifndef REBASIN_IO_JSON_TEXT_H_
#define REBASIN_IO_JSON_TEXT_H_

#include <cstddef>
#include <iterator>
#include <string>

#include "io/json.h"

namespace rebasin {

class TrackedIterator {
 public:
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::input_iterator_tag;

  TrackedIterator(const char* at, const char** furthest)
      : at_(at), furthest_(furthest) {}

  reference operator*() const { return *at_; }
  TrackedIterator& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  TrackedIterator operator++(int) {
    const TrackedIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const TrackedIterator& other) const {
    return at_ == other.at_;
  }
  bool operator!=(const TrackedIterator& other) const {
    return at_ != other.at_;
  }

 private:
  const char* at_;
  const char** furthest_;
};

// "line 3, column 7" or "byte 1234 of the file", for the byte at `index`.
std::string JsonPosition(const JsonText& text, size_t index);

// Throws for what the parser would let pass: a byte order mark, NUL bytes
// (which it takes for the end), too much text.
void CheckJsonBytes(const JsonText& text, const JsonLimits& limits);

// Throws Error(kLimit) if brackets are nested too deeply, valid or not.
void CheckJsonDepth(const JsonText& text, const JsonLimits& limits);

[[noreturn]] void ThrowJson(ErrorCode code, const JsonText& text, size_t index,
                            const std::string& what,
                            const std::string& hint = "");

[[noreturn]] void ThrowJsonDepth(const JsonText& text, size_t index,
                                 const JsonLimits& limits);

}  // namespace rebasin

#endif  // REBASIN_IO_JSON_TEXT_H_
