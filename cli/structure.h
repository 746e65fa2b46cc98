// What the arguments say about the structure of models: a spec, the name of an
// architecture, or a graph.

#ifndef REBASIN_CLI_STRUCTURE_H_
#define REBASIN_CLI_STRUCTURE_H_

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/models.h"
#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/discovery.h"
#include "rebasin/graph.h"
#include "rebasin/symmetry.h"

namespace rebasin::cli {

struct StructureFlags {
  std::string spec;   // a file, or mlp
  std::string model;  // an architecture, auto, or an .onnx file
  std::vector<std::string> constants;  // patterns of names
  std::vector<std::string> trained;    // patterns of names
  // Patterns of names; "true": all tensors (the flag without a value).
  std::vector<std::string> allow_uncovered;
  std::string symmetries = "permute";

  void AddTo(CLI::App& command, const std::string& group);
  void AddAllowUncoveredTo(CLI::App& command, const std::string& group);
  // For commands that look beyond permutations.
  void AddSymmetriesTo(CLI::App& command, const std::string& group);
  bool empty() const { return spec.empty() && model.empty(); }
};

struct Structure {
  std::shared_ptr<const Symmetry> symmetry = {};
  // Null where only a spec is known.
  std::shared_ptr<const Graph> graph = {};
  // What was found in the graph, if there is one.
  std::shared_ptr<const Discovery> discovery = {};
  // "recognised as llama:... (config.json)\n" where more was found out than
  // --model says; else "".
  std::string recognised = {};
  bool traced = false;  // the graph is that of an .onnx file
  // Weights of a traced graph that are constants, since all models have the
  // same numbers there (see FindTables).
  std::vector<std::string> held = {};
  std::string name = {};  // for people: "resnet20:width=1", "net.onnx", "mlp"
  std::string spec = {};  // where the symmetry comes from; "": the graph
};

// The graph that --model stands for, checked to fit the models (auto needs
// them; an .onnx file is bound to the first). Nothing if neither --model nor
// the first model has a graph. Without models: the architecture by itself.
std::optional<Structure> GraphFor(const StructureFlags& flags,
                                  const ModelFiles& models, Console& console);

// The structure that the models share, checked to fit them. Throws
// Error(kUsage) if the flags and the models say nothing about it, or a spec has
// none of the scalings that --symmetries asks for; Error(kMismatch) if they
// contradict each other.
Structure StructureFor(const StructureFlags& flags, const ModelFiles& models,
                       Console& console);

// The structure of models that are matched or merged with the first of them.
// Tables of a traced graph that all models share are held.
Structure StructureFor(const StructureFlags& flags, const OpenedModels& models,
                       Console& console);

// Holds the tables that the alignment leaves alone, so that it is proved for
// the numbers that they have.
void HoldLike(const Alignment& alignment, const Checkpoint& model,
              Structure& structure);

// The structure with the graph of one of the models, as its own file has it.
Structure OwnStructure(const Structure& structure, const OpenedModels& models,
                       size_t model);

// The same, for who runs the model: a spec is not enough.
Structure RunnableFor(const StructureFlags& flags, const ModelFiles& models,
                      Console& console);
Structure RunnableFor(const StructureFlags& flags, const OpenedModels& models,
                      Console& console);

// Whether a tensor is a constant of the graph, or named like one.
std::function<bool(const Tensor&)> TablesOf(const Graph& graph);

// What the flag --allow-uncovered says.
CoverageOptions CoverageFor(const StructureFlags& flags, Console& console);

// Whether StructureFor has anything to go by.
bool HasStructure(const StructureFlags& flags, const ModelFiles& models);

// The .onnx file whose graph a merged .onnx can be made of: the model itself,
// or --model. Empty: there is none.
std::filesystem::path OnnxTemplate(const StructureFlags& flags,
                                   const std::string& file,
                                   const Checkpoint& weights);

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_STRUCTURE_H_
