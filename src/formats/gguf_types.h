// The element types of GGUF files: supported types, and the sizes of the
// others.

#ifndef REBASIN_FORMATS_GGUF_TYPES_H_
#define REBASIN_FORMATS_GGUF_TYPES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "rebasin/tensor.h"

namespace rebasin {

// Elements are stored in blocks; those of quantised types share a scale. Each
// row of a tensor has whole blocks.
struct GgufType {
  uint32_t number;
  std::string_view name;
  int64_t block_elements;
  int64_t block_bytes;
  // The type in a checkpoint; empty: not supported.
  std::optional<DType> dtype = {};
};

inline constexpr uint32_t kGgufQ8_0 = 8;

// Returns nullptr for unknown numbers.
const GgufType* FindGgufType(uint32_t number);

// Converts Q8_0: blocks of a scale of type F16 and 32 signed bytes. `out` has
// 32 elements for each 34 bytes of `blocks`.
void DequantizeQ8(std::span<const std::byte> blocks, std::span<float> out);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_GGUF_TYPES_H_
