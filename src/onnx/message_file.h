// A protobuf message, written to a file as it is encoded.

#ifndef REBASIN_ONNX_MESSAGE_FILE_H_
#define REBASIN_ONNX_MESSAGE_FILE_H_

#include "io/atomic_file.h"
#include "onnx/proto.h"

namespace rebasin {

// Throws Error(kLimit) if the message is too large for protobuf, and what
// AtomicFile throws.
void WriteMessage(const onnx::ModelProto& model, AtomicFile& file);

}  // namespace rebasin

#endif  // REBASIN_ONNX_MESSAGE_FILE_H_
