// rebasin inspect: the contents and symmetries of a model.

#include <map>

#include "base/text.h"
#include "cli/console.h"
#include "cli/context.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/renames.h"
#include "cli/structure.h"
#include "cli/symmetry_text.h"
#include "cli/textconv.h"
#include "rebasin/alignment.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

struct InspectFlags {
  std::string model;
  std::string why, output;
  bool textconv = false, suggest_names = false;
  StructureFlags structure;
};

using SharedSymmetry = std::shared_ptr<const Symmetry>;

std::string TensorTable(const Checkpoint& model,
                        const SharedSymmetry& symmetry) {
  if (model.tensors().empty()) return "";
  Table table(symmetry ? "llll" : "lll",
              symmetry
                  ? std::vector<std::string>{"tensor", "type", "shape", "axes"}
                  : std::vector<std::string>{"tensor", "type", "shape"});
  for (const Tensor& t : model.tensors()) {
    std::vector<std::string> row = {
        Printable(t.name), std::string(DTypeName(t.dtype)), ShapeText(t.shape)};
    if (symmetry) row.push_back(AxesText(*symmetry, t.name));
    table.Add(std::move(row));
  }
  return table.Text() + "\n";
}

// The same for an architecture without weights.
std::string WeightTable(const Graph& graph, const Symmetry& symmetry) {
  Table table("lll", {"weight", "shape", "axes"});
  for (ValueId id : graph.weights()) {
    const Value& weight = graph.values()[id];
    table.Add({Printable(weight.name), ShapeText(weight.shape),
               AxesText(symmetry, weight.name)});
  }
  return table.Text() + "\n";
}

int64_t Parameters(const Checkpoint& model) {
  int64_t count = 0;
  for (const Tensor& tensor : model.tensors()) count += tensor.size();
  return count;
}

std::map<std::string, int64_t> ParametersByType(const Checkpoint& model) {
  std::map<std::string, int64_t> counts;
  for (const Tensor& t : model.tensors()) {
    counts[std::string(DTypeName(t.dtype))] += t.size();
  }
  return counts;
}

std::string Totals(const Checkpoint& model) {
  std::string text =
      Count(static_cast<int64_t>(model.tensors().size()), "tensor") + ", " +
      Count(Parameters(model), "parameter") + " (";
  const auto by_type = ParametersByType(model);
  for (const auto& [type, count] : by_type) {
    text += (text.back() == '(' ? "" : ", ") + type;
    if (by_type.size() > 1) text += " " + Grouped(count);
  }
  if (text.back() == '(') return text.substr(0, text.size() - 2) + "\n";
  return text + "), " + HumanBytes(static_cast<double>(model.bytes())) + "\n";
}

std::string MetadataText(const Checkpoint& model) {
  if (model.metadata().empty()) return "";
  std::string text = "metadata\n";
  for (const auto& [key, value] : model.metadata()) {
    text += "  " + Printable(key) + ": " + Printable(value) + "\n";
  }
  return text;
}

Json TensorsJson(const Checkpoint& model, const SharedSymmetry& symmetry) {
  Json tensors = Json::array();
  for (const Tensor& t : model.tensors()) {
    Json entry = {{"name", t.name},
                  {"dtype", DTypeName(t.dtype)},
                  {"shape", t.shape},
                  {"bytes", t.bytes.size()}};
    const TensorSymmetry* described =
        symmetry ? symmetry->Find(t.name) : nullptr;
    if (described != nullptr) {
      entry["axes"] = AxisTexts(*described, symmetry->groups());
      entry["statistic"] = described->statistic;
      if (described->in_list()) {
        entry["list"] = described->member.list;
        entry["index"] = described->member.index;
      }
    }
    tensors.push_back(std::move(entry));
  }
  return tensors;
}

Json ModelJson(const std::string& file, const Checkpoint& model,
               const SharedSymmetry& symmetry) {
  return {{"command", "inspect"},
          {"file", file},
          {"fingerprint", Fingerprint(model)},
          {"parameters", Parameters(model)},
          {"bytes", model.bytes()},
          {"metadata", model.metadata()},
          {"tensors", TensorsJson(model, symmetry)}};
}

std::string ModelText(const Checkpoint& model, const SharedSymmetry& symmetry) {
  return TensorTable(model, symmetry) + Totals(model) + MetadataText(model);
}

void AddStructure(const InspectFlags& flags, const Structure& structure,
                  const Context& context, std::string& text, Json& json) {
  const bool has_graph = structure.discovery != nullptr;
  if (!flags.why.empty() && !has_graph) {
    throw Error(ErrorCode::kUsage, "--why needs a graph",
                "give --model, or an .onnx file");
  }
  if (!flags.why.empty()) {
    text = WhyText(*structure.discovery, flags.why);
    json["why"] = WhyJson(*structure.discovery, flags.why);
  } else {
    if (!text.ends_with("\n\n")) text += "\n";
    text += RecognisedText(structure) + GroupTable(*structure.symmetry) +
            ScalingTable(*structure.symmetry);
    if (has_graph) text += "\n" + FixedTable(*structure.discovery);
  }
  json["structure"] = structure.name;
  json["groups"] = GroupsJson(*structure.symmetry);
  json["log10_symmetries"] = structure.symmetry->Log10Order();
  if (!structure.symmetry->scalings().empty()) {
    json["scalings"] = ScalingsJson(*structure.symmetry);
  }
  if (has_graph) {
    json["fixed"] = FixedJson(*structure.discovery);
    json["barriers"] = structure.discovery->barriers;
  }
  if (flags.output.empty()) return;
  WriteText(flags.output, structure.symmetry->ToJson(), context.force);
  text += "wrote " + Printable(flags.output) + "\n";
  json["output"] = flags.output;
}

int InspectArchitecture(const InspectFlags& flags, const Context& context) {
  Console console(context);
  if (flags.structure.model.empty()) {
    throw Error(ErrorCode::kUsage, "nothing to inspect",
                "give a model file, or --model NAME");
  }
  const Structure structure =
      DescribeStructure(flags.structure.Options(), RunFor(console));
  std::string text = WeightTable(*structure.graph, *structure.symmetry);
  Json json = {{"command", "inspect"}};
  AddStructure(flags, structure, context, text, json);
  console.Result(text, std::move(json));
  return 0;
}

// The lines of a file for --names.
int PrintSuggestedNames(const std::string& file, const Context& context) {
  Console console(context);
  const auto suggestion = SuggestNames(OpenWeights(file, context, console));
  if (!suggestion) {
    throw Error(ErrorCode::kMismatch,
                "the shapes of " + Quoted(file) +
                    " are those of no built-in architecture",
                "rebasin zoo lists them; or export the model as .onnx");
  }
  Json names = Json::object();
  for (const auto& [from, to] : suggestion->renames) names[from] = to;
  console.Result(NamesText(*suggestion), {{"command", "inspect"},
                                          {"file", file},
                                          {"model", suggestion->model},
                                          {"names", std::move(names)}});
  return 0;
}

int Inspect(const InspectFlags& flags, const Context& context) {
  if (flags.model.empty() && (flags.textconv || flags.suggest_names)) {
    throw Error(ErrorCode::kUsage,
                std::string(flags.textconv ? "--textconv" : "--suggest-names") +
                    " needs a model file");
  }
  if (flags.textconv) return PrintForDiff(flags.model, context);
  if (flags.suggest_names) return PrintSuggestedNames(flags.model, context);
  if (!flags.output.empty()) CheckTextOutput(flags.output, context);
  if (flags.model.empty()) return InspectArchitecture(flags, context);
  Console console(context);
  const Model opened = OpenModel(
      flags.model,
      ModelOptionsFor(flags.structure,
                      flags.structure.empty() ? StructureNeed::kIfKnown
                                              : StructureNeed::kSymmetry,
                      context),
      RunFor(console));
  const Checkpoint& model = opened.weights;
  const Structure& structure = opened.structure;
  const SharedSymmetry& symmetry = structure.symmetry;
  // There may be a million tensors, and only one of both outputs is used. (An
  // object, not null: if memory runs out while a null becomes an object, it is
  // not destroyed correctly.)
  Json json =
      context.json ? ModelJson(flags.model, model, symmetry) : Json::object();
  std::string text = context.json ? "" : ModelText(model, symmetry);
  if (structure.known()) AddStructure(flags, structure, context, text, json);
  console.Result(text, std::move(json));
  return 0;
}

}  // namespace

Command AddInspect(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<InspectFlags>();
  CLI::App* command = program.add_subcommand(
      "inspect", "Show a model's tensors, groups and symmetries");
  command->add_option("file", flags->model, "The model");
  flags->structure.AddTo(*command, "Structure");
  flags->structure.AddSymmetriesTo(*command, "Structure");
  command
      ->add_option("--why", flags->why,
                   "Show the operators that tie a group's axes together")
      ->type_name("GROUP");
  command->add_option("-o,--output", flags->output, "Write the spec")
      ->type_name("FILE");
  command->add_flag("--textconv", flags->textconv,
                    "A line for each tensor with its numbers and digest, for "
                    "git diff (diff.rebasin.textconv)");
  command->add_flag("--suggest-names", flags->suggest_names,
                    "If the shapes are those of a built-in architecture, print "
                    "the names that its tensors have there, for --names");
  command->footer(R"(
Examples:
  rebasin inspect model.safetensors
  rebasin inspect model.safetensors --model auto
  rebasin inspect net.onnx --why layer1.0.conv1
  rebasin inspect --model resnet50 -o resnet50.json
  rebasin inspect --model resnet20 --symmetries permute+scale+sign
  rebasin inspect model.safetensors --json | jq .parameters)");
  return {command, [flags, &context] { return Inspect(*flags, context); }};
}

}  // namespace rebasin::cli
