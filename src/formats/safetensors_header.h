// Reads, checks and writes the header of a safetensors file.
//
// A file is 8 bytes of header length (little-endian), the header (JSON), and
// the tensors' data without gaps. See docs/formats.md for every rule.

#ifndef REBASIN_FORMATS_SAFETENSORS_HEADER_H_
#define REBASIN_FORMATS_SAFETENSORS_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rebasin/checkpoint.h"
#include "rebasin/tensor.h"

namespace rebasin {

using Metadata = std::map<std::string, std::string>;
using Warn = std::function<void(const std::string&)>;

struct TensorEntry {
  std::string name;
  std::string dtype_name;      // as written
  std::optional<DType> dtype;  // empty: unknown
  Shape shape;
  int64_t begin = 0;  // first byte, relative to the start of the data
  int64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // in ascending order of name
  Metadata metadata;
  int64_t data_offset = 0;  // start of the data in the file
};

// Reads and checks the header of a file with content `file`. `source` is the
// printable name of the file for messages.
SafetensorsHeader ReadSafetensorsHeader(std::span<const std::byte> file,
                                        const std::string& source,
                                        const Warn& warn);

// Returns the size of a tensor's data; nothing if the shape is negative, or the
// size overflows or is not a whole number of bytes.
std::optional<int64_t> DataBytes(DType dtype, std::span<const int64_t> shape);

// Returns length and header, padded with spaces so that the data starts at a
// multiple of 8. The tensors are stored in the given order. Throws
// Error(kLimit) if the header is too large.
std::string MakeSafetensorsHeader(std::span<const TensorPlan> order,
                                  const Metadata& metadata);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_SAFETENSORS_HEADER_H_
