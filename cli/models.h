// Opening the models that the arguments name.

#ifndef REBASIN_CLI_MODELS_H_
#define REBASIN_CLI_MODELS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/console.h"
#include "graph/compare.h"
#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

namespace rebasin::cli {

// A checkpoint, or the weights of an .onnx file, told apart by content.
// `dtype` names the element type to convert to; empty: none. Warns if anything
// was converted.
// `trained` has patterns of names: see OnnxOptions.
Checkpoint OpenModel(const std::string& path, const Context& context,
                     Console& console, const std::string& dtype = "",
                     const std::vector<std::string>& trained = {});

// A model that was opened.
struct ModelFile {
  std::string path;
  const Checkpoint* weights;
  std::string beside = {};  // where its config.json may be; empty: at `path`
  std::shared_ptr<const Graph> graph = {};  // if its file was read for it
};
using ModelFiles = std::vector<ModelFile>;

// Models that belong together. Each list has one entry for each model.
struct OpenedModels {
  std::vector<std::string> paths;
  std::vector<Checkpoint> weights;
  // Of .onnx files; null for others.
  std::vector<std::shared_ptr<const Graph>> graphs;
  // From the first .onnx file's graph.
  std::vector<std::vector<GraphDifference>> differences;
  // Tensors that the model's file calls otherwise than the first .onnx file:
  // from the name in `weights` to the name in the file.
  std::vector<std::map<std::string, std::string>> own_names;
  std::string beside = {};  // see ModelFile

  // Refers to the weights.
  ModelFiles Files() const;
  // Removes the last model; its weights.
  Checkpoint TakeLast();
};

// .onnx files are read by ReadOnnxTogether, others by OpenModel.
OpenedModels OpenModels(const std::vector<std::string>& paths,
                        const Context& context, Console& console,
                        const std::string& dtype,
                        const std::vector<std::string>& trained);

// The alignment file for one of the models, with the names of its own file.
std::string AlignmentText(const Alignment& alignment,
                          const OpenedModels& models, size_t model);

// Throws Error(kMismatch) that tells the first differences if not all graphs
// are the same.
void RequireSameGraphs(const OpenedModels& models);

// Throws Error(kMismatch) that names the file if there are none.
void RequireTensors(const Checkpoint& model, const std::string& path);

// Warns if two models hold the same content.
void WarnIfSame(const Checkpoint& a, const Checkpoint& b, int threads,
                Console& console);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_MODELS_H_
