// A model: weights, and the graph that says how they are used.
//
//   const auto models =
//       rebasin::OpenModels({"a.safetensors", "b.safetensors"});
//   std::cout << models[0].structure.name;  // "resnet20:width=1"
//   const double order = models[0].structure.symmetry->Log10Order();
//
// From the graph come the symmetries, and with them everything that this
// library does. The graph is that of an .onnx file, or that of a built-in
// architecture, which is recognised by what the file and its config.json say
// of themselves and by the names and shapes of the weights. What cannot be
// recognised is refused with a reason and advice, never guessed.

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

// What is known of how a model's weights are used, and where from.
struct Structure {
  enum class Origin {
    kUnknown,
    kArchitecture,  // a built-in one
    kGraphFile,     // an .onnx file beside the model
    kOwnGraph,      // the model is an .onnx file
    kSpec,          // a spec; there is no graph
  };
  Origin origin = Origin::kUnknown;
  // For people: "resnet20:width=1", "net.onnx", "mlp"; empty if unknown.
  std::string name = {};
  // Whether more was found out than was asked for, and what decided besides
  // names and shapes: "metadata", "config.json".
  bool recognised = false;
  std::vector<std::string> evidence = {};
  // Why nothing is known, and what to do about it; only for kUnknown.
  std::string reason = {}, hint = {};

  // Null where only a spec is known.
  std::shared_ptr<const Graph> graph = {};
  // What was found in the graph. Null if there is none.
  std::shared_ptr<const Discovery> discovery = {};
  // Null if nothing is known.
  std::shared_ptr<const Symmetry> symmetry = {};
  // Where the symmetry comes from if not from the graph: a file, or "mlp".
  std::string spec = {};
  // Weights of an exported graph that are treated as constants, because all
  // models that were opened together have the same numbers there.
  std::vector<std::string> held = {};

  bool known() const { return origin != Origin::kUnknown; }
  // Whether the graph was exported from running code.
  bool exported() const {
    return origin == Origin::kGraphFile || origin == Origin::kOwnGraph;
  }
};

struct Model {
  std::string name = {};  // what messages call it: its path
  Checkpoint weights = {};
  Structure structure = {};
  // The .onnx file whose graph a file of this model can take: the model itself
  // or the one that was given. Empty: there is none.
  std::filesystem::path onnx_file = {};
  // Tensors that the model's own file calls otherwise: from the name in
  // `weights` to that in the file. Exporters number what has no name, and all
  // models that are opened together get the names of the first.
  std::map<std::string, std::string> own_names = {};
  // How the graph of its file differs from that of the first model. Empty
  // unless ModelOptions::allow_different_graphs.
  std::vector<GraphDifference> graph_differences = {};

  const std::shared_ptr<const Graph>& graph() const { return structure.graph; }
  const std::shared_ptr<const Symmetry>& symmetry() const {
    return structure.symmetry;
  }
};

// What is said of the structure of models.
struct StructureOptions {
  // A built-in architecture with options ("resnet20:width=4"), an .onnx file,
  // or "auto": what the models say of themselves.
  std::string model = "auto";
  // The symmetries instead of those that are found: a spec file, or "mlp" for
  // a plain chain of dense layers. With a `model` as well, its graph has them,
  // and Prove puts them to the test.
  std::string spec = {};
  // Tensors of exported graphs that are not trained, and those that are though
  // they look like constants; names with * ? [] as in a shell.
  std::vector<std::string> constants = {}, trained = {};
  // Accept tensors that the structure does not know: all, or those of names
  // that match. They are never permuted.
  bool allow_uncovered = false;
  std::vector<std::string> uncovered = {};
  // Look for more symmetries than permutations.
  DiscoverOptions symmetries = {};
};

// What must be known of the structure of models that are opened.
enum class StructureNeed {
  kNothing,   // it is not looked for
  kIfKnown,   // Structure::kUnknown if it cannot be found out
  kSymmetry,  // Error(kMismatch, kUsage) if it cannot be found out
  kGraph,     // the same, and a spec alone is not enough
};

struct ModelOptions {
  OpenOptions file = {};
  StructureOptions structure = {};
  StructureNeed need = StructureNeed::kSymmetry;
  // Convert the numbers of all models to this type, with a warning.
  std::optional<DType> dtype = {};
  // A model that the others come from. It is read along with them, as the last
  // of the result, but takes no part in recognition and may lack tensors.
  std::filesystem::path base = {};
  // Where a config.json may lie, if not beside the models.
  std::filesystem::path config_beside = {};
  // Whether .onnx files may keep their data in other files.
  bool external_data = true;
  // Whether the models must hold tensors of the same names, shapes and types.
  bool same_tensors = true;
  // Report how graphs differ in Model::graph_differences instead of throwing.
  // Nothing is then found out about the structure of models that differ.
  bool allow_different_graphs = false;
};

// Opens models that belong together: files of any format (see Checkpoint::Open
// and docs/formats.md), folders of shards, .onnx files. They get one symmetry;
// each .onnx file keeps its own graph and constants. Weights stay in the files'
// mappings. Warns of oddities that are survivable.
//
// Throws Error(kBadInput, kUnsupported, kLimit, kIo) for files that cannot be
// read; Error(kMismatch) for models that do not fit each other or the structure
// that is asked for, and where nothing or more than one thing fits; Error
// (kUsage) for options that cannot be meant.
std::vector<Model> OpenModels(std::span<const std::filesystem::path> paths,
                              const ModelOptions& options = {},
                              const Run& run = {});
Model OpenModel(const std::filesystem::path& path,
                const ModelOptions& options = {}, const Run& run = {});

// The structure of an architecture or an .onnx file by itself, without weights.
// Throws Error(kUsage) if `options` names none.
Structure DescribeStructure(const StructureOptions& options,
                            const Run& run = {});

// Runs the model against itself, permuted as the alignment says (see
// rebasin/verify.h). Nothing if there is no graph, the alignment moves nothing,
// or the graph cannot be run here, of which it warns. Throws Error(kMismatch)
// if the function changes, or if a group that moves could not be seen to
// matter.
std::optional<VerifyReport> Prove(const Model& model,
                                  const Alignment& alignment,
                                  const Run& run = {});

// Verify() for a model that has a graph; errors name it.
VerifyReport VerifyModel(const Model& model,
                         std::span<const Alignment> elements,
                         const Run& run = {});

// What the alignment found for this model is written as: with the names that
// its own file has, and its fingerprint.
std::string AlignmentJson(const Model& model, const Alignment& alignment);

// The model as the alignment was made for it: tables of an exported graph that
// the alignment leaves alone are constants. Throws Error(kMismatch) if tensors
// are neither known to the alignment nor accepted by `options`.
Model ForAlignment(Model model, const Alignment& alignment,
                   const StructureOptions& options, const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_MODEL_H_
