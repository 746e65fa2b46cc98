// Includes the messages of onnx.proto, as in Debian's libonnx_proto.

#ifndef REBASIN_ONNX_PROTO_H_
#define REBASIN_ONNX_PROTO_H_

#include <onnx/onnx_pb.h>

#endif  // REBASIN_ONNX_PROTO_H_
