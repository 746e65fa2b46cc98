#include "exports/stripped.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "rebasin/onnx.h"

namespace rebasin::testing {

Graph ReadStripped(const std::string& name) {
  OnnxModel model = ReadOnnx(std::filesystem::path(REBASIN_EXPORTED_GRAPHS) /
                             (name + ".onnx"));
  std::vector<Tensor> zeros;
  for (ValueId id : model.graph.inputs()) {
    const Value& input = model.graph.values()[id];
    if (input.name == "input" || input.kind != Kind::kFloat) continue;
    int64_t size = 1;
    for (int64_t s : input.shape) size *= s;
    zeros.push_back(
        MakeTensor(input.name, input.shape, std::vector<float>(size)));
  }
  return BindWeights(std::move(model), Checkpoint(std::move(zeros))).graph;
}

}  // namespace rebasin::testing
