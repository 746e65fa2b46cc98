// The table of formats with ONNX.

#ifndef REBASIN_ONNX_FORMAT_H_
#define REBASIN_ONNX_FORMAT_H_

#include "formats/formats.h"

namespace rebasin {

// CheckpointFormats() and .onnx files. The latter have no read function in the
// table: use ReadOnnx, which also reads the graph.
const FormatTable& ModelFormats();

}  // namespace rebasin

#endif  // REBASIN_ONNX_FORMAT_H_
