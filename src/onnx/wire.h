// The protobuf encoding of a model, checked before it is parsed.
//
// Protobuf's own parser says only yes or no, and makes a message of some
// hundred bytes out of two bytes of file. This walk over the raw fields says
// where a file is broken, and bounds depth and number of messages before
// anything is allocated.

#ifndef REBASIN_ONNX_WIRE_H_
#define REBASIN_ONNX_WIRE_H_

#include <cstddef>
#include <span>
#include <string>

namespace rebasin {

// Throws Error(kBadInput) where the encoding is broken, Error(kLimit) where
// messages are nested too deep or too many. `source` is the printable name of
// the file.
void CheckWire(std::span<const std::byte> file, const std::string& source);

// Whether the bytes start as an ONNX model does: a format version, and a graph
// after any other fields that models have.
bool StartsLikeOnnx(std::span<const std::byte> file);

}  // namespace rebasin

#endif  // REBASIN_ONNX_WIRE_H_
