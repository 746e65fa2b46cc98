// Models that are compared with each other: what is the same tensor in all, and
// what is trained.

#ifndef REBASIN_ONNX_TOGETHER_H_
#define REBASIN_ONNX_TOGETHER_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "graph/compare.h"
#include "onnx/onnx.h"

namespace rebasin {

// Models that belong together: to be compared, matched or merged.
struct OnnxSet {
  std::vector<OnnxModel> models;
  // For each model, how its graph differs from the first one's.
  std::vector<std::vector<GraphDifference>> differences;
  // For each model, weights that its file calls otherwise than the first one's
  // does: from the name in `models` to the name in the file.
  std::vector<std::map<std::string, std::string>> own_names;
};

// Reads models that are to be compared with the first. In addition to what
// ReadOnnx does:
//
// - Initializers without a name of their own ("onnx::MatMul_12") are known by
//   their place in the graph. They get the first model's names.
// - What is a weight in one of the models is one in all.
// - An initializer without a name of its own that ReadOnnx calls a constant,
//   but that differs between the models, is a weight: folding made it of
//   trained ones. Single numbers, masks and tables of formulas stay constants.
//
// Throws as ReadOnnx does. Requires a path.
OnnxSet ReadOnnxTogether(const std::vector<std::filesystem::path>& paths,
                         const OnnxOptions& options = {});

}  // namespace rebasin

#endif  // REBASIN_ONNX_TOGETHER_H_
