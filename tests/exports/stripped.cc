#include "exports/stripped.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "onnx/onnx.h"

namespace rebasin::testing {

Graph ReadStripped(const std::string& name) {
  OnnxModel model = ReadOnnx(std::filesystem::path(REBASIN_EXPORTED_GRAPHS) /
                             (name + ".onnx"));
  std::vector<Tensor> tensors;
  for (ValueId id : model.graph.inputs()) {
    const Value& input = model.graph.values()[id];
    if (input.name == "input" || input.kind != Kind::kFloat) continue;
    int64_t size = 1;
    for (int64_t s : input.shape) size *= s;
    // Different numbers: where they are taken for a constant, as tables of
    // frequencies are, equal ones might change places.
    std::vector<float> numbers(size);
    for (int64_t i = 0; i < size; ++i) numbers[i] = 1.0f / (i + 1);
    tensors.push_back(MakeTensor(input.name, input.shape, numbers));
  }
  return BindWeights(std::move(model), Checkpoint(std::move(tensors))).graph;
}

}  // namespace rebasin::testing
