// The files of models, before anything is said of their structure.

#ifndef REBASIN_MODEL_FILES_H_
#define REBASIN_MODEL_FILES_H_

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "rebasin/model.h"

namespace rebasin {

// A model with its weights. An .onnx file also has a graph, for which its
// structure is not used yet.
struct FileWithGraph {
  Model model;
  std::shared_ptr<const Graph> graph;
};

// Throws what OpenModels throws of files, and where graphs or tensors differ.
std::vector<FileWithGraph> OpenFiles(
    std::span<const std::filesystem::path> paths, const ModelOptions& options,
    const Run& run);

// Whether the file still is an .onnx file. A file that was changed since its
// weights were read must not pass for one of another kind.
bool IsOnnxStill(const Model& model);

}  // namespace rebasin

#endif  // REBASIN_MODEL_FILES_H_
