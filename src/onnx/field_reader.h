// Iterates over the fields of an encoded protobuf message.

#ifndef REBASIN_ONNX_FIELD_READER_H_
#define REBASIN_ONNX_FIELD_READER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "rebasin/error.h"

namespace rebasin {

enum WireType : uint32_t { kVarint = 0, kEight = 1, kBytes = 2, kFour = 5 };

struct Field {
  uint32_t number = 0;
  uint32_t type = 0;
  // Of the content; 0 for varints, which are already consumed.
  uint64_t size = 0;
};

// Positions are byte offsets in the file. Keeps references to the arguments,
// which must outlive it. `source` is the printable name of the file.
class FieldReader {
 public:
  FieldReader(std::span<const std::byte> file, const std::string& source)
      : file_(file), source_(source) {}

  size_t at() const { return at_; }
  void Skip(uint64_t bytes) { at_ += bytes; }

  // Requires at() < end. Throws Error(kBadInput) if the field is broken or
  // extends beyond `end`.
  Field Next(size_t end);

 private:
  uint64_t Varint(size_t end);
  Error Bad(const std::string& what) const;

  std::span<const std::byte> file_;
  const std::string& source_;
  size_t at_ = 0;
  size_t start_ = 0;  // of the current field
};

}  // namespace rebasin

#endif  // REBASIN_ONNX_FIELD_READER_H_
