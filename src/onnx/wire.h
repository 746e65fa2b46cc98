// Checks the protobuf encoding of a model before it is parsed.
//
// Protobuf's own parser only reports success or failure, and allocates a
// message of several hundred bytes for two bytes of file. This scan of the raw
// fields reports where a file is broken, and limits depth and number of
// messages before anything is allocated.

#ifndef REBASIN_ONNX_WIRE_H_
#define REBASIN_ONNX_WIRE_H_

#include <cstddef>
#include <span>
#include <string>

namespace rebasin {

// Throws Error(kBadInput) if the encoding is broken, and Error(kLimit) if
// messages are nested too deeply or too many. `source` is the printable name of
// the file.
void CheckWire(std::span<const std::byte> file, const std::string& source);

// Whether the bytes start like an ONNX model: a format version, then other
// fields of a model in any order, then a graph.
bool StartsLikeOnnx(std::span<const std::byte> file);

}  // namespace rebasin

#endif  // REBASIN_ONNX_WIRE_H_
