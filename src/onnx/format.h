// ONNX as a format among others, and the table with all of them.

#ifndef REBASIN_ONNX_FORMAT_H_
#define REBASIN_ONNX_FORMAT_H_

#include "formats/formats.h"

namespace rebasin {

// CheckpointFormats(), and .onnx files. Those have no function to read them:
// see ReadOnnx, which reads the graph, too.
const FormatTable& ModelFormats();

}  // namespace rebasin

#endif  // REBASIN_ONNX_FORMAT_H_
