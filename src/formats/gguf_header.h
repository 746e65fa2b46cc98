// The part of a GGUF file before the data: metadata and a list of tensors.

#ifndef REBASIN_FORMATS_GGUF_HEADER_H_
#define REBASIN_FORMATS_GGUF_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/gguf_cursor.h"
#include "formats/safetensors_header.h"
#include "rebasin/tensor.h"

namespace rebasin {

struct GgufMetadata {
  Metadata values;                    // numbers, booleans and strings
  std::vector<std::string> left_out;  // keys of arrays
  uint32_t alignment = 32;            // of tensors, from "general.alignment"
};

struct GgufTensor {
  std::string name;
  Shape shape;  // row-major; the file stores the last axis first
  uint32_t type = 0;
  uint64_t offset = 0;  // from the start of the data
};

struct GgufHeader {
  GgufMetadata metadata;
  std::vector<GgufTensor> tensors;  // in the order of the file
  uint64_t data_begin = 0;          // may be beyond the end of the file
};

// Reads `count` keys with their values. Throws Error(kBadInput, kLimit).
GgufMetadata ReadGgufMetadata(GgufCursor& cursor, uint64_t count);

// Reads and checks the header; PlaceGgufTensors checks the tensors against the
// file. `source` is the start of messages. Throws Error(kBadInput) if the
// header breaks the rules of the format, Error(kUnsupported) for versions other
// than 2 and 3 and for big-endian files, Error(kLimit).
GgufHeader ReadGgufHeader(std::span<const std::byte> file,
                          const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_GGUF_HEADER_H_
