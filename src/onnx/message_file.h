// Writes a protobuf message to a file while encoding it.

#ifndef REBASIN_ONNX_MESSAGE_FILE_H_
#define REBASIN_ONNX_MESSAGE_FILE_H_

#include "io/atomic_file.h"
#include "onnx/proto.h"

namespace rebasin {

// Throws Error(kLimit) if the message is too large for protobuf, and the errors
// of AtomicFile.
void WriteMessage(const onnx::ModelProto& model, AtomicFile& file);

}  // namespace rebasin

#endif  // REBASIN_ONNX_MESSAGE_FILE_H_
