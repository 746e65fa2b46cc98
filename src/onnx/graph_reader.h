// Reads the graph of a file, and converts it to the operators of
// rebasin/graph.h.

#ifndef REBASIN_ONNX_GRAPH_READER_H_
#define REBASIN_ONNX_GRAPH_READER_H_

#include <vector>

#include "onnx/model_file.h"
#include "rebasin/graph.h"

namespace rebasin {

// `roles`: of file.initializers(). Branches, loops and sequences become part of
// the flat graph (see docs/formats.md). Adds warnings to the file for what
// stays opaque: bodies of other operators, and functions that the model
// defines.
Graph ReadGraph(ModelFile& file, const std::vector<Role>& roles);

}  // namespace rebasin

#endif  // REBASIN_ONNX_GRAPH_READER_H_
