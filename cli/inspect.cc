// rebasin inspect: what is in a model, and which symmetries it has.

#include <map>
#include <optional>

#include "cli/console.h"
#include "cli/context.h"
#include "cli/models.h"
#include "cli/text.h"
#include "rebasin/alignment.h"
#include "rebasin/error.h"

namespace rebasin::cli {
namespace {

struct InspectFlags {
  std::string model;
  std::string spec;
  bool allow_uncovered = false;
};

using SharedSymmetry = std::shared_ptr<const Symmetry>;

std::string AxesText(const Symmetry& symmetry, const std::string& name) {
  const TensorSymmetry* tensor = symmetry.Find(name);
  if (tensor == nullptr) return "";
  std::string text;
  for (const Axis& axis : tensor->axes) {
    text += (text.empty() ? "" : ", ") + AxisText(axis, symmetry.groups());
  }
  return "[" + Printable(text) + "]" + (tensor->statistic ? " statistic" : "");
}

bool Mentions(const TensorSymmetry& tensor, int group) {
  for (const Axis& axis : tensor.axes) {
    for (const Segment& segment : axis.segments) {
      for (const Factor& factor : segment) {
        if (factor.group == group) return true;
      }
    }
  }
  return false;
}

std::vector<std::string> TensorsOf(const Symmetry& symmetry, int group) {
  std::vector<std::string> names;
  for (const TensorSymmetry& tensor : symmetry.tensors()) {
    if (Mentions(tensor, group)) names.push_back(tensor.name);
  }
  return names;
}

std::string FirstFew(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < 3; ++i) {
    text += (i == 0 ? "" : ", ") + Printable(names[i], 40);
  }
  const size_t more = names.size() > 3 ? names.size() - 3 : 0;
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

std::string Within(const Symmetry& symmetry, const Group& group) {
  return group.parent == kNoGroup
             ? ""
             : Printable(symmetry.groups()[group.parent].name);
}

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

std::string GroupTable(const Symmetry& symmetry) {
  Table table("lrll", {"group", "size", "within", "where"});
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    const Group& group = symmetry.groups()[g];
    table.Add({Printable(group.name), Grouped(group.size),
               Within(symmetry, group),
               FirstFew(TensorsOf(symmetry, static_cast<int>(g)))});
  }
  return (table.empty() ? "no groups\n" : table.Text()) + "10^" +
         Fixed(symmetry.Log10Order(), 1) +
         " settings of the weights compute the same function\n";
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
      entry["axes"] = Json::array();
      for (const Axis& axis : described->axes) {
        entry["axes"].push_back(AxisText(axis, symmetry->groups()));
      }
      entry["statistic"] = described->statistic;
    }
    tensors.push_back(std::move(entry));
  }
  return tensors;
}

Json GroupsJson(const Symmetry& symmetry) {
  Json groups = Json::array();
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    const Group& group = symmetry.groups()[g];
    Json entry = {{"name", group.name},
                  {"size", group.size},
                  {"copies", symmetry.Copies(static_cast<int>(g))},
                  {"tensors", TensorsOf(symmetry, static_cast<int>(g))}};
    if (group.parent != kNoGroup) {
      entry["within"] = symmetry.groups()[group.parent].name;
    }
    groups.push_back(std::move(entry));
  }
  return groups;
}

int Inspect(const InspectFlags& flags, const Context& context) {
  Console console(context);
  const Checkpoint model = OpenModel(flags.model, context, console);
  SharedSymmetry symmetry;
  if (!flags.spec.empty()) {
    symmetry = SymmetryFor(flags.spec, model, flags.allow_uncovered, console);
  }
  Json json = {{"command", "inspect"},
               {"file", flags.model},
               {"fingerprint", Fingerprint(model)},
               {"parameters", Parameters(model)},
               {"bytes", model.bytes()},
               {"metadata", model.metadata()},
               {"tensors", TensorsJson(model, symmetry)}};
  std::string text = TensorTable(model, symmetry) + Totals(model);
  text += MetadataText(model);
  if (symmetry) {
    text += "\n" + GroupTable(*symmetry);
    json["groups"] = GroupsJson(*symmetry);
    json["log10_symmetries"] = symmetry->Log10Order();
  }
  console.Result(text, std::move(json));
  return 0;
}

}  // namespace

Command AddInspect(CLI::App& program, Context& context) {
  const auto flags = std::make_shared<InspectFlags>();
  CLI::App* command = program.add_subcommand(
      "inspect", "Show a model's tensors, groups and symmetries");
  command->add_option("model", flags->model, "The model")->required();
  command->add_option("--spec", flags->spec, "A spec file, or mlp")
      ->type_name("FILE|mlp");
  command->add_flag("--allow-uncovered", flags->allow_uncovered,
                    "Accept tensors that the spec does not mention");
  command->footer(R"(
Examples:
  rebasin inspect model.safetensors
  rebasin inspect model.safetensors --spec mlp
  rebasin inspect model.safetensors --json | jq .parameters)");
  return {command, [flags, &context] { return Inspect(*flags, context); }};
}

}  // namespace rebasin::cli
