// Opens the files of models, before their structure is known.

#ifndef REBASIN_MODEL_FILES_H_
#define REBASIN_MODEL_FILES_H_

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "rebasin/model.h"

namespace rebasin {

// A model with its weights. An .onnx file also has a graph, which is not yet
// part of its structure.
struct FileWithGraph {
  Model model;
  std::shared_ptr<const Graph> graph;
};

// Opens `inputs`, of which the first `alike` must have the same tensors. Throws
// what OpenModels throws for files, and Error(kMismatch) if graphs or tensors
// differ.
std::vector<FileWithGraph> OpenFiles(std::span<const ModelInput> inputs,
                                     size_t alike, const ModelOptions& options,
                                     const Run& run);

// True if the file is still an .onnx file. A file that was changed after its
// weights were read must not be taken for one of another format.
bool IsOnnxStill(const Model& model);

}  // namespace rebasin

#endif  // REBASIN_MODEL_FILES_H_
