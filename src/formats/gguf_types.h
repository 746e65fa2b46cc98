// The element types of GGUF files: those that are read, and the sizes of those
// that are not.

#ifndef REBASIN_FORMATS_GGUF_TYPES_H_
#define REBASIN_FORMATS_GGUF_TYPES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "rebasin/tensor.h"

namespace rebasin {

// Elements come in blocks, which share a scale where they are quantised. Each
// row of a tensor holds whole blocks.
struct GgufType {
  uint32_t number;
  std::string_view name;
  int64_t block_elements;
  int64_t block_bytes;
  // What the elements are in a checkpoint; empty: not supported.
  std::optional<DType> dtype = {};
};

inline constexpr uint32_t kGgufQ8_0 = 8;

// nullptr if the number is not known.
const GgufType* FindGgufType(uint32_t number);

// The elements of Q8_0: 32 bytes with signs, times a scale of type F16, which
// stands before them. `out` has 32 elements for each 34 bytes of `blocks`.
void DequantizeQ8(std::span<const std::byte> blocks, std::span<float> out);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_GGUF_TYPES_H_
