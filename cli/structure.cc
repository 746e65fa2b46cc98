#include "cli/structure.h"

#include <algorithm>
#include <filesystem>

#include "cli/arguments.h"
#include "cli/progress.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"

namespace rebasin::cli {
namespace {

DiscoverOptions ParseSymmetries(const std::string& text) {
  return ParseChoice<DiscoverOptions>(
      "--symmetries", text,
      {{"permute", {}},
       {"permute+scale", {.scales = true}},
       {"permute+sign", {.signs = true}},
       {"permute+scale+sign", {.scales = true, .signs = true}},
       {"permute+sign+scale", {.scales = true, .signs = true}}});
}

DType ParseType(const std::string& text) {
  return ParseChoice<DType>("--dtype", text,
                            {{"F64", DType::kF64},
                             {"F32", DType::kF32},
                             {"F16", DType::kF16},
                             {"BF16", DType::kBF16}});
}

}  // namespace

void StructureFlags::AddTo(CLI::App& command, const std::string& group) {
  command
      .add_option("--model", model,
                  "The architecture: auto (default: recognised from the "
                  "models), a name with options (resnet20:width=4; `rebasin "
                  "zoo` lists them), or an .onnx file")
      ->group(group)
      ->type_name("NAME|FILE");
  command
      .add_option("--spec", spec,
                  "The symmetries: a spec file, or mlp for a chain of dense "
                  "layers; default: found in the graph")
      ->group(group)
      ->type_name("FILE|mlp");
  command
      .add_option("--constant", constants,
                  "Tensors of an .onnx file that are not trained; patterns "
                  "with * and ?")
      ->group(group)
      ->type_name("PATTERN");
  AddAllowUncoveredTo(command, group);
}

void StructureFlags::AddAllowUncoveredTo(CLI::App& command,
                                         const std::string& group) {
  command
      .add_option("--trained", trained,
                  "Tensors of an .onnx file that are trained, although they "
                  "look like constants or are equal in all models")
      ->group(group)
      ->type_name("PATTERN");
  command
      .add_flag(
          "--allow-uncovered", allow_uncovered,
          "Accept tensors that the structure does not describe, which are "
          "never permuted: all, or with =PATTERN those with matching names")
      ->group(group);
}

void StructureFlags::AddSymmetriesTo(CLI::App& command,
                                     const std::string& group) {
  command
      .add_option("--symmetries", symmetries,
                  "Symmetries to use: permute (default), permute+scale, "
                  "permute+sign or permute+scale+sign (rescale units of "
                  "homogeneous activations, flip the signs of odd ones)")
      ->group(group)
      ->type_name("WORD");
}

StructureOptions StructureFlags::Options() const {
  const bool all = std::find(allow_uncovered.begin(), allow_uncovered.end(),
                             "true") != allow_uncovered.end();
  return {.model = model.empty() ? "auto" : model,
          .spec = spec,
          .constants = constants,
          .trained = trained,
          .allow_uncovered = all,
          .uncovered = allow_uncovered,
          .symmetries = ParseSymmetries(symmetries)};
}

ModelOptions ModelOptionsFor(const StructureFlags& flags, StructureNeed need,
                             const Context& context, const std::string& dtype) {
  ModelOptions options{.file = context.file,
                       .structure = flags.Options(),
                       .need = need,
                       .external_data = context.external_data};
  if (!dtype.empty()) options.dtype = ParseType(dtype);
  // Naming a model in addition to a spec, even auto, means testing the spec on
  // its graph.
  const bool both = !flags.spec.empty() && !flags.model.empty();
  if (both && need != StructureNeed::kNothing) {
    options.need = StructureNeed::kGraph;
  }
  return options;
}

Checkpoint OpenWeights(const std::string& path, const Context& context,
                       Console& console, const std::string& dtype) {
  return OpenModel(path,
                   ModelOptionsFor({}, StructureNeed::kNothing, context, dtype),
                   RunFor(console))
      .weights;
}

std::vector<Model> OpenModels(const std::vector<std::string>& paths,
                              const ModelOptions& options, Console& console) {
  const std::vector<std::filesystem::path> files(paths.begin(), paths.end());
  return rebasin::OpenModels(files, options, RunFor(console));
}

std::string RecognisedText(const Structure& structure) {
  if (!structure.recognised) return "";
  std::string text = "recognised as " + structure.name;
  for (size_t s = 0; s < structure.evidence.size(); ++s) {
    text += (s == 0 ? " (" : ", ") + structure.evidence[s];
  }
  return text + (structure.evidence.empty() ? "\n" : ")\n");
}

void WarnIfSame(const Model& a, const Model& b, const Run& run) {
  if (SameContent(a.weights, b.weights, nullptr, run)) {
    run.Warn("the models hold the same content");
  }
}

}  // namespace rebasin::cli
