#include <utility>

#include "discovery/tables.h"
#include "graph/constant_weights.h"
#include "model/files.h"
#include "model/structure.h"
#include "onnx/onnx.h"
#include "rebasin/model.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// The structure with the graph of one model's own file.
Structure OwnStructure(const Structure& shared, const FileWithGraph& file) {
  Structure own = shared;
  if (own.origin != Structure::Origin::kOwnGraph || file.graph == nullptr) {
    return own;
  }
  own.name = file.model.name;
  own.graph =
      shared.held.empty()
          ? file.graph
          : std::make_shared<const Graph>(WithConstantWeights(
                *file.graph, TensorsNamed(file.model.weights, shared.held)));
  return own;
}

fs::path OnnxFileFor(const Model& model, const StructureOptions& options) {
  if (IsOnnxStill(model)) return model.file;
  const bool given = options.model != "auto" && IsOnnx(options.model);
  return given ? fs::path(options.model) : fs::path();
}

bool GraphsDiffer(std::span<const FileWithGraph> files) {
  for (const FileWithGraph& file : files) {
    if (!file.model.graph_differences.empty()) return true;
  }
  return false;
}

}  // namespace

std::vector<Model> OpenModels(std::span<const fs::path> paths,
                              const ModelOptions& options, const Run& run) {
  std::vector<ModelInput> inputs;
  for (const fs::path& path : paths) inputs.push_back({.file = path});
  if (!options.base.empty()) inputs.push_back({.file = options.base});
  return OpenInputs(inputs, options, !options.base.empty(), run);
}

std::vector<Model> OpenInputs(std::span<const ModelInput> inputs,
                              const ModelOptions& options, bool has_base,
                              const Run& run) {
  const size_t count = inputs.size() - (has_base ? 1 : 0);
  std::vector<FileWithGraph> files = OpenFiles(inputs, count, options, run);
  const auto alike = std::span(files).first(count);
  Structure structure;
  if (options.need != StructureNeed::kNothing && !GraphsDiffer(alike)) {
    structure = FindStructure(alike, options, run);
  }
  std::vector<Model> models;
  for (FileWithGraph& file : files) {
    file.model.structure = OwnStructure(structure, file);
    file.model.onnx_file = OnnxFileFor(file.model, options.structure);
    models.push_back(std::move(file.model));
  }
  return models;
}

Model OpenModel(const fs::path& path, const ModelOptions& options,
                const Run& run) {
  return std::move(OpenModels({&path, 1}, options, run).front());
}

}  // namespace rebasin
