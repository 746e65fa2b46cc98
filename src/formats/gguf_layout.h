// Whether the tensors of a GGUF header fit their types, each other and the
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
  const GgufType* type = nullptr;    // null: a type that is not known
  std::span<const std::byte> bytes;  // of the file; empty if not known
};

// Each tensor starts at the first aligned place behind the one before it, and
// the last one, with its padding or without, ends the file. Throws
// Error(kBadInput) that names the tensor if not. What follows a tensor of an
// unknown type cannot be checked against it, as its size is not known.
std::vector<PlacedGgufTensor> PlaceGgufTensors(GgufHeader& header,
                                               std::span<const std::byte> file,
                                               const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_GGUF_LAYOUT_H_
