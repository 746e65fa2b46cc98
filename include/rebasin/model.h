// A model: weights, and the graph that defines how they are used.
//
//   const std::vector<std::filesystem::path> paths = {"a.safetensors",
//                                                     "b.safetensors"};
//   const auto models = rebasin::OpenModels(paths);
//   std::cout << models[0].structure.name;  // "resnet20:width=1"
//   const double order = models[0].structure.symmetry->Log10Order();
//
// The graph is needed to find the symmetries. It comes from an .onnx file or is
// that of a built-in architecture, which is recognised by the file's metadata,
// a config.json, and the names and shapes of the weights. If recognition fails
// or is ambiguous, the error says why and what to do; nothing is guessed.

#ifndef REBASIN_MODEL_H_
#define REBASIN_MODEL_H_

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/discovery.h"
#include "rebasin/graph.h"
#include "rebasin/run.h"
#include "rebasin/symmetry.h"

namespace rebasin {

// What is known about the use of a model's weights, and its source.
struct Structure {
  enum class Origin {
    kUnknown,       // nothing is known
    kArchitecture,  // a built-in architecture, or that of a config.json
    kGraphFile,     // an .onnx file given for the model
    kOwnGraph,      // the model is an .onnx file
    kSpec,          // a spec file or "mlp"; there is no graph
  };
  Origin origin = Origin::kUnknown;
  // For messages: "resnet20:width=1", "qwen2" (the model_type of a
  // config.json), "net.onnx", "mlp"; empty if unknown.
  std::string name = {};
  // True if the structure was recognised rather than specified. `evidence`
  // lists the sources besides names and shapes: "metadata", "config.json".
  bool recognised = false;
  std::vector<std::string> evidence = {};
  // Only for kUnknown: why nothing is known, and what to do.
  std::string reason = {}, hint = {};

  // Null if only a spec is known.
  std::shared_ptr<const Graph> graph = {};
  // The symmetries found in the graph, and the reasons; null without a graph.
  std::shared_ptr<const Discovery> discovery = {};
  // Null only for kUnknown.
  std::shared_ptr<const Symmetry> symmetry = {};
  // The source of the symmetry if it is not the graph: a file name, or "mlp".
  std::string spec = {};
  // Weights of an exported graph that are treated as constants because all
  // models opened together have the same values there.
  std::vector<std::string> held = {};

  bool known() const { return origin != Origin::kUnknown; }
  // True if the graph comes from an .onnx file.
  bool exported() const {
    return origin == Origin::kGraphFile || origin == Origin::kOwnGraph;
  }
};

// An opened model. Copies are cheap and share weights and graph. Immutable in
// use, so it is safe to read from any number of threads.
struct Model {
  std::string name = {};  // its path or the name of its input, for messages
  // The file that was opened; empty if the weights were in memory.
  std::filesystem::path file = {};
  Checkpoint weights = {};
  Structure structure = {};
  // The .onnx file whose graph a file of this model can use: the model itself
  // or the one that was given; empty if there is none.
  std::filesystem::path onnx_file = {};
  // Tensors with another name in the model's own file: from the name in
  // `weights` to that in the file. Exporters number unnamed tensors, and all
  // models opened together use the names of the first.
  std::map<std::string, std::string> own_names = {};
  // Differences between its own graph and the first model's. Filled only with
  // ModelOptions::allow_different_graphs.
  std::vector<GraphDifference> graph_differences = {};

  const std::shared_ptr<const Graph>& graph() const { return structure.graph; }
  const std::shared_ptr<const Symmetry>& symmetry() const {
    return structure.symmetry;
  }
};

// The graph of a model that is in memory, not in a file.
struct GraphInMemory {
  std::string name = {};  // for messages
  // What an .onnx file with this graph holds, with or without weights. It
  // cannot refer to other files.
  std::shared_ptr<const std::string> onnx = {};
};

// What the user specifies about the structure of models.
struct StructureOptions {
  // A built-in architecture with options ("resnet20:width=4"), an .onnx file,
  // or "auto" to recognise it.
  std::string model = "auto";
  // If it has bytes, used like an .onnx file that `model` names; `model` must
  // then be "auto".
  GraphInMemory graph = {};
  // A spec file with the symmetries, or "mlp" for a plain chain of dense
  // layers; empty: the symmetries are found in the graph. If a graph is known
  // as well, Prove tests the spec with it.
  std::string spec = {};
  // Tensors of exported graphs that are constants, and tensors that are trained
  // although they look like constants. Patterns with * ? [] as in a shell.
  std::vector<std::string> constants = {}, trained = {};
  // Accept tensors that the structure does not describe: all of them, or those
  // whose names match a pattern. They are never permuted.
  bool allow_uncovered = false;
  std::vector<std::string> uncovered = {};
  // Symmetries to look for besides permutations.
  DiscoverOptions symmetries = {};
};

// What OpenModels must find out about the structure.
enum class StructureNeed {
  kNothing,  // nothing
  kIfKnown,  // the result may be Structure::kUnknown
  // A symmetry; otherwise Error(kMismatch) or Error(kUsage).
  kSymmetry,
  // A graph; otherwise the same errors.
  kGraph,
};

// Options of OpenModels.
struct ModelOptions {
  OpenOptions file = {};
  StructureOptions structure = {};
  StructureNeed need = StructureNeed::kSymmetry;
  // If set, converts all models to this floating-point type and warns.
  std::optional<DType> dtype = {};
  // A common ancestor of the models. It is opened with them and becomes the
  // last element of the result, but is not used for recognition and may lack
  // tensors.
  std::filesystem::path base = {};
  // Where else to look for a config.json: a file or folder.
  std::filesystem::path config_beside = {};
  // Whether .onnx files may refer to data in other files.
  bool external_data = true;
  // Whether the models must have the same tensor names, shapes and types.
  bool same_tensors = true;
  // Stores differences between graphs in Model::graph_differences instead of
  // throwing. The structure of such models is then unknown.
  bool allow_different_graphs = false;
};

// Opens models that are to be compared or merged: files of any format (see
// Checkpoint::Open and docs/formats.md), folders of shards, .onnx files. All
// get the same symmetry; each .onnx file keeps its own graph and constants.
// Weights stay in memory-mapped files. Warns about harmless problems.
//
// Throws Error(kBadInput, kUnsupported, kLimit, kIo) if a file cannot be read;
// Error(kMismatch) if the models do not fit each other or the specified
// structure, or if no structure or more than one fits; Error(kUsage) for
// invalid options.
std::vector<Model> OpenModels(std::span<const std::filesystem::path> paths,
                              const ModelOptions& options = {},
                              const Run& run = {});
// A model to open: a file, or weights that are in memory.
struct ModelInput {
  std::filesystem::path file = {};
  // If set, `file` is not used. Names that wrappers of PyTorch have changed are
  // kept, and ModelOptions::file has no effect.
  std::optional<Checkpoint> weights = {};
  std::string name = {};  // of weights in memory, for messages
};

// The same for models that may be in memory. ModelOptions::base must be empty;
// with `has_base`, the last input is the base.
std::vector<Model> OpenInputs(std::span<const ModelInput> inputs,
                              const ModelOptions& options = {},
                              bool has_base = false, const Run& run = {});

// The same for one model.
Model OpenModel(const std::filesystem::path& path,
                const ModelOptions& options = {}, const Run& run = {});

// Returns the structure of an architecture or an .onnx file without weights.
// Throws Error(kUsage) if `options` specifies neither.
Structure DescribeStructure(const StructureOptions& options,
                            const Run& run = {});

// Proves by running the graph that permuting by `alignment` does not change the
// function (see Verify in rebasin/discovery.h). Returns nothing if there is no
// graph, if the alignment moves nothing, or, with a warning, if the graph
// cannot be run. Throws Error(kMismatch) if the function changes, or if no run
// shows an effect of a group that moves. Takes seconds for most networks.
std::optional<VerifyReport> Prove(const Model& model,
                                  const Alignment& alignment,
                                  const Run& run = {});

// Calls Verify for a model with a graph; errors name the model.
VerifyReport VerifyModel(const Model& model,
                         std::span<const Alignment> elements,
                         const Run& run = {});

// Returns the text of an alignment file for this model: with the tensor names
// of its own file, and its fingerprint.
std::string AlignmentJson(const Model& model, const Alignment& alignment);

// Returns the model in the form for which the alignment was made: tables of an
// exported graph that the alignment does not mention become constants. Throws
// Error(kMismatch) if the alignment does not describe a tensor and `options`
// does not accept it.
Model AdaptToAlignment(Model model, const Alignment& alignment,
                       const StructureOptions& options, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_MODEL_H_
