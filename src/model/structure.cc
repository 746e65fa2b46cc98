#include "model/structure.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/quoted_list.h"
#include "base/text.h"
#include "discovery/tables.h"
#include "graph/constant_weights.h"
#include "model/family.h"
#include "model/own_graphs.h"
#include "model/spec.h"
#include "onnx/names.h"
#include "onnx/onnx.h"
#include "rebasin/error.h"
#include "rebasin/zoo.h"
#include "symmetry/ties.h"
#include "zoo/families/config.h"
#include "zoo/recognise.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

using Origin = Structure::Origin;

bool HasGraphInMemory(const StructureOptions& options) {
  return options.graph.onnx != nullptr;
}

bool GivesGraph(const StructureOptions& options) {
  return HasGraphInMemory(options) || NamesGraphFile(options.model);
}

bool MustBeFound(const StructureOptions& options) {
  return !HasGraphInMemory(options) && options.model == "auto";
}

OnnxModel ReadGraph(const StructureOptions& options, bool follow_symlinks,
                    const Run& run) {
  const OnnxOptions reading{.constants = options.constants,
                            .trained = options.trained,
                            .follow_symlinks = follow_symlinks};
  OnnxModel model =
      HasGraphInMemory(options)
          ? ReadOnnxBytes(*options.graph.onnx, options.graph.name, reading)
          : ReadOnnx(options.model, reading);
  for (const std::string& warning : model.warnings) run.Warn(warning);
  model.warnings.clear();
  return model;
}

// The given graph with the weights of another model; null: its own.
Graph BoundGraph(const StructureOptions& options, const Checkpoint* weights,
                 bool follow_symlinks, const Run& run) {
  OnnxModel model = ReadGraph(options, follow_symlinks, run);
  if (weights == nullptr) return std::move(model.graph);
  model = BindWeights(std::move(model), *weights);
  for (const std::string& warning : model.warnings) run.Warn(warning);
  return std::move(model.graph);
}

fs::path ConfigOf(const Model& model, const fs::path& beside) {
  if (!beside.empty()) return FindModelConfig(beside);
  return model.file.empty() ? fs::path() : FindModelConfig(model.file);
}

IdentifiedModel Identify(std::span<const FileWithGraph> files,
                         const ModelOptions& options) {
  std::vector<ModelSource> sources;
  for (const auto& [model, graph] : files) {
    sources.push_back({.name = model.name,
                       .weights = &model.weights,
                       .config = ConfigOf(model, options.config_beside)});
  }
  const StructureOptions& asked = options.structure;
  return IdentifyModel(
      sources, {.model = asked.model,
                .origin = "--model " + asked.model,
                .scalings = asked.symmetries.scales || asked.symmetries.signs});
}

// A graph does not know its source, so the name is added to errors.
void DiscoverIn(Structure& structure, const DiscoverOptions& asked) {
  try {
    structure.discovery =
        std::make_shared<const Discovery>(Discover(*structure.graph, asked));
  } catch (const Error& error) {
    throw Error(error.code(), Quoted(structure.name) + ": " + error.what(),
                error.hint());
  }
  structure.symmetry = std::shared_ptr<const Symmetry>(
      structure.discovery, &structure.discovery->symmetry);
}

void WarnOfBarriers(const Discovery& discovery, const Run& run) {
  const auto& barriers = discovery.barriers;
  if (barriers.empty()) return;
  const auto more = static_cast<int64_t>(barriers.size()) - 1;
  run.Warn("no rule for " + barriers.front() +
           (more == 0 ? "" : " and " + Count(more, "more node")) +
           ": values that pass through it are not permuted");
}

// The names of the constants and weights that a graph stores.
std::set<std::string, std::less<>> StoredNames(const Graph& graph) {
  std::set<std::string, std::less<>> names;
  for (const Value& value : graph.values()) {
    if (value.role != Role::kComputed) names.insert(value.name);
  }
  return names;
}

void CheckFits(const Symmetry& symmetry, const Model& model,
               const CoverageOptions& options, bool ties, const Run& run) {
  try {
    symmetry.CheckFits(model.weights, options, run);
    if (ties) CheckTies(symmetry, model.weights);
  } catch (const Error& error) {
    throw Error(error.code(), Quoted(model.name) + ": " + error.what(),
                error.hint());
  }
}

// Warns about the first model only, because the others have the same tensors.
void CheckAllFit(const Structure& structure,
                 std::span<const FileWithGraph> files,
                 const CoverageOptions& options, const Run& run) {
  // Exporters store equal weights only once.
  const bool ties = structure.origin != Origin::kOwnGraph;
  for (const FileWithGraph& file : files) {
    const bool first = &file == &files.front();
    CheckFits(*structure.symmetry, file.model, options, ties,
              first ? run : Run());
  }
}

void CheckFitsGraph(const Structure& structure,
                    std::span<const FileWithGraph> files,
                    const StructureOptions& asked, const Run& run) {
  CoverageOptions options = CoverageOf(asked);
  options.floating = true;
  options.subject = Quoted(structure.name);
  if (structure.origin == Origin::kGraphFile) {
    options.is_known =
        [stored = StoredNames(*structure.graph)](const Tensor& tensor) {
          return stored.contains(tensor.name) || IsNamedLikeTable(tensor.name);
        };
  }
  // A file with its own graph defines by it which tensors are used.
  options.allow_uncovered |= structure.origin == Origin::kOwnGraph;
  CheckAllFit(structure, files, options, run);
}

// A graph may have a tensor only once that a weights file stores under several
// names, such as an embedding that is also the output layer.
void AddOtherNames(const Checkpoint& weights, Structure& structure) {
  const auto names = OtherNames(*structure.symmetry, weights);
  if (names.empty()) return;
  structure.symmetry = std::make_shared<const Symmetry>(
      structure.symmetry->WithCompanions(weights, names));
}

Structure OwnGraph(const FileWithGraph& file) {
  return {.origin = Origin::kOwnGraph,
          .name = file.model.name,
          .graph = file.graph};
}

Structure GraphFromFile(const Checkpoint* weights,
                        const StructureOptions& options, bool follow_symlinks,
                        const Run& run) {
  return {
      .origin = Origin::kGraphFile,
      .name = HasGraphInMemory(options) ? options.graph.name : options.model,
      .graph = std::make_shared<const Graph>(
          BoundGraph(options, weights, follow_symlinks, run))};
}

Structure Architecture(std::span<const FileWithGraph> files,
                       const ModelOptions& options,
                       std::vector<Companion>& companions) {
  IdentifiedModel found = Identify(files, options);
  companions = std::move(found.companions);
  return {.origin = Origin::kArchitecture,
          .name = found.text,
          .recognised = found.text != options.structure.model,
          .evidence = std::move(found.sources),
          .graph = std::make_shared<const Graph>(
              ZooGraph(found.text, files[0].model.weights))};
}

// A config.json that cannot be read may belong to something else, so it matters
// only if the model is not recognised without it.
Structure FamilyOrArchitecture(std::span<const FileWithGraph> files,
                               const ModelOptions& options,
                               std::vector<Companion>& companions) {
  std::optional<zoo::UnreadableConfig> unreadable;
  try {
    if (auto family = FindFamily(files, options, companions)) return *family;
  } catch (const zoo::UnreadableConfig& error) {
    unreadable = error;
  }
  try {
    return Architecture(files, options, companions);
  } catch (const zoo::NoArchitectureFits&) {
    if (unreadable) throw *unreadable;
    const std::string type = ModelTypeOf(files, options);
    if (type.empty()) throw;
    throw Error(ErrorCode::kMismatch,
                "config.json says \"model_type\" " + Quoted(type) +
                    ", which is not known, and no built-in architecture fits "
                    "the tensors",
                "export the model as .onnx, or give a --spec; `rebasin zoo` "
                "lists what is known");
  }
}

Structure FindGraph(std::span<const FileWithGraph> files,
                    const ModelOptions& options,
                    std::vector<Companion>& companions, const Run& run) {
  const StructureOptions& asked = options.structure;
  const FileWithGraph& first = files.front();
  if (MustBeFound(asked) && first.graph != nullptr) return OwnGraph(first);
  if (GivesGraph(asked)) {
    return GraphFromFile(&first.model.weights, asked,
                         options.file.follow_symlinks, run);
  }
  return FamilyOrArchitecture(files, options, companions);
}

// Makes tables that are equal in all models constants of the graph.
void MakeTablesConstant(std::span<const FileWithGraph> files,
                        const StructureOptions& options, const Run& run,
                        Structure& structure) {
  std::vector<Checkpoint> models;
  for (const FileWithGraph& file : files) models.push_back(file.model.weights);
  structure.held =
      FindTables(*structure.symmetry, models,
                 {.constants = options.constants, .trained = options.trained});
  if (structure.held.empty()) return;
  const auto tensors = TensorsNamed(models[0], structure.held);
  structure.discovery = std::make_shared<const Discovery>(
      DiscoverWithConstants(*structure.graph, tensors, options.symmetries));
  structure.graph = std::make_shared<const Graph>(
      WithConstantWeights(*structure.graph, tensors));
  structure.symmetry = std::shared_ptr<const Symmetry>(
      structure.discovery, &structure.discovery->symmetry);
  AddOtherNames(models[0], structure);
  run.Warn(
      "the same in all models, so treated as constants and not permuted: " +
      Count(static_cast<int64_t>(structure.held.size()), "tensor") + ", " +
      QuotedList(structure.held) +
      "; --trained PATTERN treats them as weights");
}

Structure FindByGraph(std::span<const FileWithGraph> files,
                      const ModelOptions& options, const Run& run) {
  const Checkpoint& weights = files[0].model.weights;
  std::vector<Companion> companions;
  Structure structure = FindGraph(files, options, companions, run);
  DiscoverIn(structure, options.structure.symmetries);
  if (!companions.empty()) {
    structure.symmetry = std::make_shared<const Symmetry>(
        structure.symmetry->WithCompanions(weights, companions));
  }
  if (structure.origin == Origin::kGraphFile) AddOtherNames(weights, structure);
  WarnOfBarriers(*structure.discovery, run);
  CheckFitsGraph(structure, files, options.structure, run);
  CheckOwnGraphs(structure, files);
  CheckSameConstants(structure, files);
  return structure;
}

// For a single model there is no other to compare tables with.
Structure FindByGraphAlone(std::span<const FileWithGraph> files,
                           const ModelOptions& options, const Run& run) {
  Structure structure = FindByGraph(files, options, run);
  if (structure.exported() && files.size() > 1) {
    MakeTablesConstant(files, options.structure, run, structure);
  }
  return structure;
}

Structure FindBySpec(std::span<const FileWithGraph> files,
                     const StructureOptions& asked, const Run& run) {
  Structure structure{
      .origin = Origin::kSpec, .name = asked.spec, .spec = asked.spec};
  structure.symmetry = std::make_shared<const Symmetry>(
      OpenSpec(asked.spec, files[0].model.weights, asked.symmetries));
  CheckAllFit(structure, files, CoverageOf(asked), run);
  return structure;
}

// Uses the spec's symmetry with the graph, which can test it.
Structure FindByBoth(std::span<const FileWithGraph> files,
                     const ModelOptions& options, const Run& run) {
  ModelOptions graph_alone = options;
  graph_alone.structure.spec.clear();
  graph_alone.structure.symmetries = {};
  Structure structure = FindByGraph(files, graph_alone, run);
  const Structure spec = FindBySpec(files, options.structure, run);
  structure.symmetry = spec.symmetry;
  structure.spec = spec.spec;
  return structure;
}

// A spec is used without a test only if there is no graph.
bool UsesSpecAlone(std::span<const FileWithGraph> files,
                   const ModelOptions& options) {
  return MustBeFound(options.structure) && files[0].graph == nullptr &&
         options.need != StructureNeed::kGraph;
}

}  // namespace

bool NamesGraphFile(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  return name.find_first_of("./") != std::string::npos ||
         (!text.empty() && IsOnnx(text));
}

CoverageOptions CoverageOf(const StructureOptions& options) {
  return {.allow_uncovered = options.allow_uncovered,
          .allowed = options.uncovered};
}

Structure FindStructure(std::span<const FileWithGraph> models,
                        const ModelOptions& options, const Run& run) {
  if (!options.structure.spec.empty()) {
    if (!UsesSpecAlone(models, options)) {
      return FindByBoth(models, options, run);
    }
    // A recognised architecture tests the spec, as in `apply` and `verify`.
    try {
      return FindByBoth(models, options, run);
    } catch (const Error&) {
      return FindBySpec(models, options.structure, run);
    }
  }
  if (options.need != StructureNeed::kIfKnown) {
    return FindByGraphAlone(models, options, run);
  }
  try {
    return FindByGraphAlone(models, options, run);
  } catch (const Error& error) {
    // A specified structure must fit; only a recognised one may fail.
    const bool given = !MustBeFound(options.structure);
    if (given || error.code() != ErrorCode::kMismatch) throw;
    return {.reason = error.what(), .hint = error.hint()};
  }
}

Structure DescribeStructure(const StructureOptions& options, const Run& run) {
  if (options.model.empty() || MustBeFound(options)) {
    throw Error(ErrorCode::kUsage, "--model auto needs a model file",
                "name the architecture; `rebasin zoo` lists them");
  }
  Structure structure =
      GivesGraph(options)
          ? GraphFromFile(nullptr, options, /*follow_symlinks=*/false, run)
          : Structure{.origin = Origin::kArchitecture,
                      .name = options.model,
                      .graph = std::make_shared<const Graph>(
                          ZooGraph(options.model))};
  DiscoverIn(structure, options.symmetries);
  WarnOfBarriers(*structure.discovery, run);
  return structure;
}

}  // namespace rebasin
