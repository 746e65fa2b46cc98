#include "cli/structure.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/quoted_list.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "discovery/tables.h"
#include "graph/hold_weights.h"
#include "onnx/names.h"
#include "rebasin/error.h"
#include "rebasin/onnx.h"
#include "rebasin/zoo.h"
#include "symmetry/names.h"
#include "symmetry/ties.h"

namespace rebasin::cli {
namespace fs = std::filesystem;
namespace {

// Asked again after the weights were read. A file that was changed since must
// not pass for one of another kind.
bool IsOnnxStill(const std::string& file, const Checkpoint* weights) {
  if (IsOnnx(file)) return true;
  if (weights != nullptr) weights->CheckUnchanged();
  return false;
}

// A bare word that is no file is meant to be an architecture.
bool IsMisspeltName(const std::string& text) {
  std::error_code ignored;
  return text.find_first_of("./") == std::string::npos &&
         !fs::exists(text, ignored);
}

// A name with a dot or a slash is that of a file, be there one or not;
// architectures have none before their options.
bool NamesGraphFile(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  return name.find_first_of("./") != std::string::npos ||
         (!text.empty() && IsOnnx(text));
}

Symmetry SpecFor(const std::string& text, const Checkpoint& weights) {
  if (text == "mlp") return InferMlp(weights);
  if (IsMisspeltName(text)) {
    const std::string hint = DidYouMean(text, std::vector<std::string>{"mlp"});
    throw Error(ErrorCode::kUsage,
                "--spec " + Quoted(text) + " is neither a file nor mlp",
                hint.empty() ? "architectures are chosen with --model" : hint);
  }
  return Symmetry::Load(text);
}

OnnxModel ReadGraph(const std::string& path, const StructureFlags& flags,
                    Console& console) {
  OnnxModel model =
      ReadOnnx(path, {.constants = flags.constants,
                      .trained = flags.trained,
                      .follow_symlinks = console.context().follow_symlinks});
  for (const std::string& warning : model.warnings) console.Warn(warning);
  model.warnings.clear();
  return model;
}

// The graph of one .onnx file with the numbers of another model.
Graph BoundGraph(const StructureFlags& flags, const Checkpoint* weights,
                 Console& console) {
  OnnxModel model = ReadGraph(flags.model, flags, console);
  if (weights == nullptr) return std::move(model.graph);
  model = BindWeights(std::move(model), *weights);
  for (const std::string& warning : model.warnings) console.Warn(warning);
  return std::move(model.graph);
}

// What --model says; without it, and without a spec, "auto" if a model says of
// itself what it is.
std::string ModelText(const StructureFlags& flags, const ModelFiles& models) {
  if (!flags.empty()) return flags.model;
  const bool said =
      std::any_of(models.begin(), models.end(), [](const ModelFile& model) {
        return model.weights->metadata().contains(kModelKey);
      });
  return said ? "auto" : "";
}

std::string RecognisedText(const IdentifiedModel& found,
                           const StructureFlags& flags) {
  if (flags.model.empty() || found.text == flags.model) return "";
  std::string text = "recognised as " + found.text;
  for (size_t s = 0; s < found.sources.size(); ++s) {
    text += (s == 0 ? " (" : ", ") + found.sources[s];
  }
  return text + (found.sources.empty() ? "\n" : ")\n");
}

IdentifiedModel Identify(const std::string& text, const StructureFlags& flags,
                         const ModelFiles& models, bool scalings) {
  std::vector<ModelSource> sources;
  for (const ModelFile& model : models) {
    sources.push_back({.name = model.path,
                       .weights = model.weights,
                       .config = FindModelConfig(
                           model.beside.empty() ? model.path : model.beside)});
  }
  return IdentifyModel(sources, {.model = text,
                                 .origin = "--model " + flags.model,
                                 .scalings = scalings});
}

// The graph of a built-in architecture; adds what was found out about it.
Graph ArchitectureGraph(const std::string& text, const StructureFlags& flags,
                        const ModelFiles& models, bool scalings,
                        Structure& structure,
                        std::vector<Companion>& companions) {
  if (models.empty() && text != "auto") return ZooGraph(text);
  if (models.empty()) {
    throw Error(ErrorCode::kUsage, "--model auto needs a model file",
                "name the architecture; `rebasin zoo` lists them");
  }
  IdentifiedModel found = Identify(text, flags, models, scalings);
  structure.recognised = RecognisedText(found, flags);
  structure.name = found.text;
  companions = std::move(found.companions);
  return ZooGraph(structure.name, *models[0].weights);
}

void WarnOfBarriers(const Discovery& discovery, Console& console) {
  const auto& barriers = discovery.barriers;
  if (barriers.empty()) return;
  console.Warn("no rule for " + barriers.front() +
               (barriers.size() == 1
                    ? ""
                    : " and " + Count(static_cast<int64_t>(barriers.size()) - 1,
                                      "more node")) +
               ": what passes through is never permuted");
}

DiscoverOptions ScalingsAskedFor(const StructureFlags& flags) {
  return ParseChoice<DiscoverOptions>(
      "--symmetries", flags.symmetries,
      {{"permute", {}},
       {"permute+scale", {.scales = true}},
       {"permute+sign", {.signs = true}},
       {"permute+scale+sign", {.scales = true, .signs = true}},
       {"permute+sign+scale", {.scales = true, .signs = true}}});
}

// The spec with those of its scalings that are asked for.
Symmetry WithScalings(const Symmetry& spec, const DiscoverOptions& asked) {
  std::vector<Scaling> scalings;
  for (const Scaling& scaling : spec.scalings()) {
    const bool sign = scaling.kind == ScalingKind::kSign;
    if (sign ? asked.signs : asked.scales) scalings.push_back(scaling);
  }
  if (scalings.empty() && (asked.scales || asked.signs)) {
    throw Error(ErrorCode::kUsage,
                "the spec has no scalings as --symmetries asks for",
                "give --model, where they are found, or add \"scalings\" to "
                "the spec");
  }
  return Symmetry(spec.groups(), spec.tensors(), std::move(scalings));
}

// Graphs do not know where they come from.
std::shared_ptr<const Discovery> DiscoverIn(const Structure& structure,
                                            const DiscoverOptions& asked) {
  try {
    return std::make_shared<const Discovery>(Discover(*structure.graph, asked));
  } catch (const Error& error) {
    throw Error(error.code(), Quoted(structure.name) + ": " + error.what(),
                error.hint());
  }
}

void CheckFits(const Symmetry& symmetry, const ModelFile& model,
               const CoverageOptions& options, bool ties) {
  try {
    symmetry.CheckFits(*model.weights, options);
    if (ties) CheckTies(symmetry, *model.weights);
  } catch (const Error& error) {
    if (model.path.empty()) throw;
    throw Error(error.code(), Quoted(model.path) + ": " + error.what(),
                error.hint());
  }
}

// Of the constants and weights that a graph holds.
std::set<std::string_view> StoredNames(const Graph& graph) {
  std::set<std::string_view> names;
  for (const Value& value : graph.values()) {
    if (value.role != Role::kComputed) names.insert(value.name);
  }
  return names;
}

enum class GraphOrigin { kArchitecture, kOtherFile, kModelItself };

void CheckFitsGraph(const StructureFlags& flags, const Structure& structure,
                    const ModelFiles& models, GraphOrigin origin,
                    Console& console) {
  CoverageOptions options = CoverageFor(flags, console);
  options.floating = true;
  options.subject = Quoted(structure.name);
  if (origin == GraphOrigin::kOtherFile) {
    options.is_known =
        [stored = StoredNames(*structure.graph)](const Tensor& tensor) {
          return stored.contains(tensor.name) || IsNamedLikeTable(tensor.name);
        };
  }
  // A file that holds its own graph says by it what it uses.
  const bool whole = origin == GraphOrigin::kModelItself;
  options.allow_uncovered |= whole;
  for (const ModelFile& model : models) {
    CheckFits(*structure.symmetry, model, options, /*ties=*/!whole);
    options.warn = {};
  }
}

// A graph has a tensor once that a file of weights may have under several
// names: the table of words is the last layer, too.
void AddOtherNames(const Checkpoint* weights, Structure& structure) {
  if (weights == nullptr) return;
  const auto names = OtherNames(*structure.symmetry, *weights);
  if (names.empty()) return;
  structure.symmetry = std::make_shared<const Symmetry>(
      structure.symmetry->WithCompanions(*weights, names));
}

// Tables that all models share become constants of the graph.
void HoldTables(const StructureFlags& flags, const OpenedModels& models,
                Structure& structure, Console& console) {
  const TableOptions options{.constants = flags.constants,
                             .trained = flags.trained};
  structure.held = FindTables(*structure.symmetry, models.weights, options);
  if (structure.held.empty()) return;
  const auto tensors = TensorsNamed(models.weights[0], structure.held);
  const auto discovery = std::make_shared<const Discovery>(
      DiscoverHolding(*structure.graph, tensors, ScalingsAskedFor(flags)));
  structure.graph =
      std::make_shared<const Graph>(HoldWeights(*structure.graph, tensors));
  structure.discovery = discovery;
  structure.symmetry =
      std::shared_ptr<const Symmetry>(discovery, &discovery->symmetry);
  AddOtherNames(&models.weights[0], structure);
  const auto count = static_cast<int64_t>(structure.held.size());
  console.Warn(
      "the same in all models, so kept as they are and not permuted: " +
      Count(count, "tensor") + ", " + QuotedList(structure.held) +
      "; --trained PATTERN treats them as weights");
}

Structure Runnable(Structure structure) {
  if (structure.graph) return structure;
  throw Error(ErrorCode::kUsage, "this command needs a graph to run",
              "give --model NAME (or auto), or an .onnx file");
}

void CheckExclusive(const StructureFlags& flags) {
  if (flags.spec.empty() || flags.model.empty()) return;
  throw Error(ErrorCode::kUsage, "--spec and --model say the same thing",
              "give one of them");
}

}  // namespace

void StructureFlags::AddTo(CLI::App& command, const std::string& group) {
  command
      .add_option("--model", model,
                  "The architecture: a name with options "
                  "(resnet20:width=4; `rebasin zoo` lists them), auto, or an "
                  ".onnx file")
      ->group(group)
      ->type_name("NAME|FILE");
  command
      .add_option("--spec", spec,
                  "The symmetries instead: a spec file, or mlp for a chain of "
                  "dense layers")
      ->group(group)
      ->type_name("FILE|mlp");
  command
      .add_option("--constant", constants,
                  "Tensors of an .onnx file that are not trained; * and ? are "
                  "understood")
      ->group(group)
      ->type_name("PATTERN");
  AddAllowUncoveredTo(command, group);
}

void StructureFlags::AddAllowUncoveredTo(CLI::App& command,
                                         const std::string& group) {
  command
      .add_option("--trained", trained,
                  "Tensors of an .onnx file that are trained, though they look "
                  "like constants or are equal in all models")
      ->group(group)
      ->type_name("PATTERN");
  command
      .add_flag("--allow-uncovered", allow_uncovered,
                "Accept tensors that the structure does not know, which are "
                "never permuted: all, or with =PATTERN those of such names")
      ->group(group);
}

void StructureFlags::AddSymmetriesTo(CLI::App& command,
                                     const std::string& group) {
  command
      .add_option("--symmetries", symmetries,
                  "permute (default), permute+scale, permute+sign or "
                  "permute+scale+sign: also rescale units of homogeneous "
                  "activations, and flip those of odd ones")
      ->group(group)
      ->type_name("WORD");
}

std::function<bool(const Tensor&)> TablesOf(const Graph& graph) {
  std::set<std::string> constants;
  for (const Value& value : graph.values()) {
    if (value.role == Role::kConstant) constants.insert(value.name);
  }
  return [constants](const Tensor& tensor) {
    return constants.contains(tensor.name) || IsNamedLikeTable(tensor.name);
  };
}

CoverageOptions CoverageFor(const StructureFlags& flags, Console& console) {
  const auto& patterns = flags.allow_uncovered;
  return {.allow_uncovered = std::find(patterns.begin(), patterns.end(),
                                       "true") != patterns.end(),
          .allowed = patterns,
          .warn = console.warner()};
}

std::optional<Structure> GraphFor(const StructureFlags& flags,
                                  const ModelFiles& models, Console& console) {
  const DiscoverOptions asked = ScalingsAskedFor(flags);
  const Checkpoint* first = models.empty() ? nullptr : models[0].weights;
  Structure structure{.name = ModelText(flags, models)};
  std::vector<Companion> companions;
  GraphOrigin origin = GraphOrigin::kArchitecture;
  const auto set_graph = [&](Graph graph) {
    structure.graph = std::make_shared<const Graph>(std::move(graph));
  };
  if (structure.name.empty()) {
    if (!flags.spec.empty() || models.empty() ||
        !IsOnnxStill(models[0].path, first)) {
      return std::nullopt;
    }
    origin = GraphOrigin::kModelItself;
    structure.name = models[0].path;
    structure.traced = true;
    structure.graph = models[0].graph;
    if (!structure.graph) {
      set_graph(ReadGraph(structure.name, flags, console).graph);
    }
  } else if (NamesGraphFile(flags.model)) {
    origin = GraphOrigin::kOtherFile;
    structure.traced = true;
    set_graph(BoundGraph(flags, first, console));
  } else {
    set_graph(ArchitectureGraph(structure.name, flags, models,
                                asked.scales || asked.signs, structure,
                                companions));
  }
  structure.discovery = DiscoverIn(structure, asked);
  structure.symmetry = std::shared_ptr<const Symmetry>(
      structure.discovery, &structure.discovery->symmetry);
  if (!companions.empty()) {
    structure.symmetry = std::make_shared<const Symmetry>(
        structure.symmetry->WithCompanions(*first, companions));
  }
  if (origin == GraphOrigin::kOtherFile) AddOtherNames(first, structure);
  WarnOfBarriers(*structure.discovery, console);
  CheckFitsGraph(flags, structure, models, origin, console);
  return structure;
}

Structure StructureFor(const StructureFlags& flags, const ModelFiles& models,
                       Console& console) {
  CheckExclusive(flags);
  auto graph = GraphFor(flags, models, console);
  if (graph) return *std::move(graph);
  if (flags.spec.empty()) {
    throw Error(ErrorCode::kUsage, "the model's structure is not known",
                "give --model NAME (or auto), an .onnx file, or a --spec");
  }
  Structure structure{.name = flags.spec, .spec = flags.spec};
  structure.symmetry = std::make_shared<const Symmetry>(WithScalings(
      SpecFor(flags.spec, *models[0].weights), ScalingsAskedFor(flags)));
  CoverageOptions options = CoverageFor(flags, console);
  for (const ModelFile& model : models) {
    CheckFits(*structure.symmetry, model, options, /*ties=*/true);
    options.warn = {};
  }
  return structure;
}

Structure StructureFor(const StructureFlags& flags, const OpenedModels& models,
                       Console& console) {
  Structure structure = StructureFor(flags, models.Files(), console);
  if (structure.traced) HoldTables(flags, models, structure, console);
  return structure;
}

void HoldLike(const Alignment& alignment, const Checkpoint& model,
              Structure& structure) {
  structure.held = TablesHeldBy(alignment.symmetry(), *structure.symmetry);
  structure.graph = std::make_shared<const Graph>(
      HoldWeights(*structure.graph, TensorsNamed(model, structure.held)));
}

Structure OwnStructure(const Structure& structure, const OpenedModels& models,
                       size_t model) {
  Structure own = structure;
  const auto& graph = models.graphs[model];
  if (models.graphs[0] == nullptr || graph == nullptr) return own;
  own.name = models.paths[model];
  own.graph = std::make_shared<const Graph>(
      HoldWeights(*graph, TensorsNamed(models.weights[model], structure.held)));
  return own;
}

Structure RunnableFor(const StructureFlags& flags, const ModelFiles& models,
                      Console& console) {
  return Runnable(StructureFor(flags, models, console));
}

Structure RunnableFor(const StructureFlags& flags, const OpenedModels& models,
                      Console& console) {
  return Runnable(StructureFor(flags, models, console));
}

bool HasStructure(const StructureFlags& flags, const ModelFiles& models) {
  return !flags.empty() || !ModelText(flags, models).empty() ||
         IsOnnxStill(models[0].path, models[0].weights);
}

fs::path OnnxTemplate(const StructureFlags& flags, const std::string& file,
                      const Checkpoint& weights) {
  if (IsOnnxStill(file, &weights)) return file;
  if (!flags.model.empty() && IsOnnx(flags.model)) return flags.model;
  return {};
}

}  // namespace rebasin::cli
