#include "cli/structure.h"

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/data_flags.h"
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

// What --model says; without it, and without a spec, what the model says of
// itself.
std::string ModelText(const StructureFlags& flags, const Checkpoint* weights) {
  if (!flags.empty() || weights == nullptr) return flags.model;
  const auto found = weights->metadata().find(kModelKey);
  return found == weights->metadata().end() ? "" : found->second;
}

// What a file says of itself is no argument: where it means nothing, the file
// is to blame.
Graph GraphOfMetadata(const std::string& text, const std::string& file,
                      const Checkpoint& weights) {
  try {
    return ZooGraph(text, weights);
  } catch (const Error& error) {
    throw Error(
        ErrorCode::kUnsupported,
        Quoted(file) + ": metadata " + Quoted(kModelKey) + ": " + error.what(),
        "give --model NAME");
  }
}

Graph ArchitectureGraph(const std::string& text, const Checkpoint* weights,
                        Structure& structure) {
  if (text != "auto") {
    return weights == nullptr ? ZooGraph(text) : ZooGraph(text, *weights);
  }
  if (weights == nullptr) {
    throw Error(ErrorCode::kUsage, "--model auto needs a model file",
                "name the architecture; `rebasin zoo` lists them");
  }
  structure.recognised = true;
  structure.name = RecogniseModel(*weights);
  return ZooGraph(structure.name, *weights);
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

void CheckFits(const Structure& structure, const Checkpoint& weights,
               const std::string& file, const CoverageOptions& options) {
  try {
    structure.symmetry->CheckFits(weights, options);
    if (!structure.graph) CheckTies(*structure.symmetry, weights);
  } catch (const Error& error) {
    if (file.empty()) throw;
    throw Error(error.code(), Quoted(file) + ": " + error.what(), error.hint());
  }
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
  command
      .add_flag("--allow-uncovered", allow_uncovered,
                "Accept tensors that the spec does not mention")
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

std::optional<Structure> GraphFor(const StructureFlags& flags,
                                  const std::string& file,
                                  const Checkpoint* weights, Console& console) {
  const DiscoverOptions asked = ScalingsAskedFor(flags);
  Structure structure{.name = ModelText(flags, weights)};
  if (structure.name.empty()) {
    if (!flags.spec.empty() || file.empty() || !IsOnnxStill(file, weights)) {
      return std::nullopt;
    }
    structure.name = file;
    structure.graph =
        std::make_shared<const Graph>(ReadGraph(file, flags, console).graph);
  } else if (NamesGraphFile(flags.model)) {
    structure.graph =
        std::make_shared<const Graph>(BoundGraph(flags, weights, console));
  } else {
    structure.graph = std::make_shared<const Graph>(
        flags.empty() ? GraphOfMetadata(structure.name, file, *weights)
                      : ArchitectureGraph(structure.name, weights, structure));
  }
  structure.discovery = DiscoverIn(structure, asked);
  structure.symmetry = std::shared_ptr<const Symmetry>(
      structure.discovery, &structure.discovery->symmetry);
  WarnOfBarriers(*structure.discovery, console);
  return structure;
}

Structure StructureFor(const StructureFlags& flags, const std::string& file,
                       const Checkpoint& weights, Console& console) {
  CheckExclusive(flags);
  auto structure = GraphFor(flags, file, &weights, console);
  // A graph knows which tensors it uses; the others cannot matter.
  const bool allow_uncovered = flags.allow_uncovered || structure.has_value();
  if (!structure && flags.spec.empty()) {
    throw Error(ErrorCode::kUsage, "the model's structure is not known",
                "give --model NAME (or auto), an .onnx file, or a --spec");
  }
  if (!structure) {
    structure = Structure{.name = flags.spec};
    structure->symmetry = std::make_shared<const Symmetry>(
        WithScalings(SpecFor(flags.spec, weights), ScalingsAskedFor(flags)));
  }
  CheckFits(*structure, weights, file,
            {.allow_uncovered = allow_uncovered, .warn = console.warner()});
  return *std::move(structure);
}

Structure RunnableFor(const StructureFlags& flags, const std::string& file,
                      const Checkpoint& weights, Console& console) {
  Structure structure = StructureFor(flags, file, weights, console);
  if (structure.graph) return structure;
  throw Error(ErrorCode::kUsage, "this command needs a graph to run",
              "give --model NAME (or auto), or an .onnx file");
}

std::string RecognisedText(const Structure& structure) {
  return structure.recognised ? "recognised as " + structure.name + "\n" : "";
}

bool HasStructure(const StructureFlags& flags, const std::string& file,
                  const Checkpoint& weights) {
  return !flags.empty() || !ModelText(flags, &weights).empty() ||
         IsOnnxStill(file, &weights);
}

fs::path OnnxTemplate(const StructureFlags& flags, const std::string& file,
                      const Checkpoint& weights) {
  if (IsOnnxStill(file, &weights)) return file;
  if (!flags.model.empty() && IsOnnx(flags.model)) return flags.model;
  return {};
}

}  // namespace rebasin::cli
