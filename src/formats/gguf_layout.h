// Checks the tensors of a GGUF header against their types, each other and the
// file.

#ifndef REBASIN_FORMATS_GGUF_LAYOUT_H_
#define REBASIN_FORMATS_GGUF_LAYOUT_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "formats/gguf_header.h"
#include "formats/gguf_types.h"

namespace rebasin {

struct PlacedGgufTensor {
  GgufTensor tensor;
  const GgufType* type = nullptr;    // null: unknown type
  std::span<const std::byte> bytes;  // in the file; empty for unknown types
};

// Each tensor must start at the first aligned position after the previous one,
// and the last one must end the file, with or without padding; otherwise throws
// Error(kBadInput) with the name of the tensor. The tensor after one of unknown
// type cannot be checked, because the size of that type is unknown.
std::vector<PlacedGgufTensor> PlaceGgufTensors(GgufHeader& header,
                                               std::span<const std::byte> file,
                                               const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_GGUF_LAYOUT_H_
