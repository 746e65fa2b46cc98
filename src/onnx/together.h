// Reads models that are compared with each other: pairs their tensors, and
// decides which are trained.

#ifndef REBASIN_ONNX_TOGETHER_H_
#define REBASIN_ONNX_TOGETHER_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "graph/compare.h"
#include "onnx/onnx.h"

namespace rebasin {

// Models that are compared, matched or merged with each other.
struct OnnxSet {
  std::vector<OnnxModel> models;
  // For each model, the differences of its graph from the first one.
  std::vector<std::vector<GraphDifference>> differences;
  // For each model, the weights that have another name in its file than in the
  // first model's: from the name in `models` to the name in the file.
  std::vector<std::map<std::string, std::string>> own_names;
};

// Reads models for comparison with the first one. In addition to ReadOnnx:
//
// - Initializers with a name chosen by the exporter ("onnx::MatMul_12") are
//   identified by their place in the graph, and get the first model's names.
// - A tensor that is a weight in one model is a weight in all.
// - An initializer with a name chosen by the exporter that ReadOnnx treats as a
//   constant, but that differs between the models, is a weight: folding
//   computed it from trained ones. Single numbers, masks and tables of formulas
//   remain constants.
//
// Throws the errors of ReadOnnx. Requires at least one path.
// Throws as ReadOnnx does. Requires a path.
OnnxSet ReadOnnxTogether(const std::vector<std::filesystem::path>& paths,
                         const OnnxOptions& options = {});

}  // namespace rebasin

#endif  // REBASIN_ONNX_TOGETHER_H_
