// The graph of a file, in the dialect of rebasin/graph.h.

#ifndef REBASIN_ONNX_GRAPH_READER_H_
#define REBASIN_ONNX_GRAPH_READER_H_

#include <vector>

#include "onnx/model_file.h"
#include "rebasin/graph.h"

namespace rebasin {

// `roles`: of file.initializers(). Branches, loops and sequences become part of
// the flat graph (see docs/formats.md). Warns (through the file) of what stays
// opaque: bodies of other operators, and functions of the model's own.
Graph ReadGraph(ModelFile& file, const std::vector<Role>& roles);

}  // namespace rebasin

#endif  // REBASIN_ONNX_GRAPH_READER_H_
