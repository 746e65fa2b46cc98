#include "cli/symmetry_text.h"

#include <map>

#include "base/text.h"
#include "rebasin/error.h"
#include "symmetry/names.h"

namespace rebasin::cli {
namespace {

using Names = std::vector<std::string>;

// The tensors of each group.
std::vector<Names> TensorsOfGroups(const Symmetry& symmetry) {
  std::vector<Names> tensors(symmetry.groups().size());
  for (const TensorSymmetry& tensor : symmetry.tensors()) {
    for (int group : tensor.Groups()) tensors[group].push_back(tensor.name);
  }
  return tensors;
}

std::string FirstFew(const std::vector<std::string>& names, size_t few = 3) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < few; ++i) {
    text += (i == 0 ? "" : ", ") + Printable(names[i], 40);
  }
  const size_t more = names.size() > few ? names.size() - few : 0;
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

// Adds a group, then its inner groups.
void AddTree(const Symmetry& symmetry, const std::vector<Names>& tensors,
             int group, const std::string& indent, Table& table) {
  const Group& shown = symmetry.groups()[group];
  const int64_t copies = symmetry.Copies(group);
  table.Add({indent + Printable(shown.name),
             (copies > 1 ? Grouped(copies) + " x " : "") + Grouped(shown.size),
             FirstFew(tensors[group])});
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    if (symmetry.groups()[g].parent == group) {
      AddTree(symmetry, tensors, static_cast<int>(g), indent + "  ", table);
    }
  }
}

int FindGroup(const Discovery& discovery, const std::string& name) {
  const int group = discovery.symmetry.FindGroup(name);
  if (group != kNoGroup) return group;
  std::vector<std::string> names;
  for (const Group& each : discovery.symmetry.groups()) {
    names.push_back(each.name);
  }
  throw Error(ErrorCode::kUsage, "there is no group " + Quoted(name),
              DidYouMean(name, names));
}

}  // namespace

std::string AxesText(const Symmetry& symmetry, const std::string& name) {
  const TensorSymmetry* tensor = symmetry.Find(name);
  if (tensor == nullptr) return "";
  std::string text;
  for (const std::string& axis : AxisTexts(*tensor, symmetry.groups())) {
    text += (text.empty() ? "" : ", ") + axis;
  }
  text = "[" + Printable(text) + "]";
  if (tensor->in_list()) {
    const Group& group = symmetry.groups()[tensor->member.group];
    text += " one of " + Printable(group.name);
  }
  return text + (tensor->statistic ? " statistic" : "");
}

std::string GroupTable(const Symmetry& symmetry) {
  Table table("lrl", {"group", "size", "where"});
  const std::vector<Names> tensors = TensorsOfGroups(symmetry);
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    if (symmetry.groups()[g].parent != kNoGroup) continue;
    AddTree(symmetry, tensors, static_cast<int>(g), "", table);
  }
  return (table.empty() ? "no groups\n" : table.Text()) + "10^" +
         Fixed(symmetry.Log10Order(), 1) +
         " settings of the weights compute the same function\n";
}

std::string ScalingTable(const Symmetry& symmetry) {
  if (symmetry.scalings().empty()) return "";
  Table table("llrl", {"scaling", "of group", "units", "where"});
  for (const Scaling& scaling : symmetry.scalings()) {
    const Group& group = symmetry.groups()[scaling.group];
    std::vector<std::string> places;
    for (const ScalingPlace& place : scaling.places) {
      places.push_back(place.tensor + "[" + std::to_string(place.axis) + "]" +
                       (place.degree < 0 ? " inversely" : ""));
    }
    table.Add({scaling.kind == ScalingKind::kSign ? "sign" : "scale",
               Printable(group.name),
               Grouped(group.size * symmetry.Copies(scaling.group)),
               FirstFew(places)});
  }
  return "\n" + table.Text();
}

Json ScalingsJson(const Symmetry& symmetry) {
  Json scalings = Json::array();
  for (const Scaling& scaling : symmetry.scalings()) {
    Json places = Json::array();
    for (const ScalingPlace& place : scaling.places) {
      places.push_back({{"tensor", place.tensor},
                        {"axis", place.axis},
                        {"segment", place.segment},
                        {"degree", place.degree}});
    }
    scalings.push_back(
        {{"kind", scaling.kind == ScalingKind::kSign ? "sign" : "scale"},
         {"group", symmetry.groups()[scaling.group].name},
         {"units", symmetry.groups()[scaling.group].size *
                       symmetry.Copies(scaling.group)},
         {"places", std::move(places)}});
  }
  return scalings;
}

Json GroupsJson(const Symmetry& symmetry) {
  Json groups = Json::array();
  const std::vector<Names> tensors = TensorsOfGroups(symmetry);
  for (size_t g = 0; g < symmetry.groups().size(); ++g) {
    const Group& group = symmetry.groups()[g];
    Json entry = {{"name", group.name},
                  {"size", group.size},
                  {"copies", symmetry.Copies(static_cast<int>(g))},
                  {"tensors", tensors[g]}};
    if (group.parent != kNoGroup) {
      entry["within"] = symmetry.groups()[group.parent].name;
    }
    groups.push_back(std::move(entry));
  }
  return groups;
}

std::string FixedTable(const Discovery& discovery) {
  std::map<std::string, std::vector<std::string>> axes, causes;
  std::vector<std::string> reasons;
  for (const FixedAxis& fixed : discovery.fixed) {
    auto& list = axes[fixed.reason];
    if (list.empty()) reasons.push_back(fixed.reason);
    list.push_back(fixed.weight + "[" + std::to_string(fixed.axis) + "]");
    auto& names = causes[fixed.reason];
    const bool seen = !names.empty() && names.back() == fixed.cause;
    if (!fixed.cause.empty() && !seen) names.push_back(fixed.cause);
  }
  if (reasons.empty()) return "";
  Table table("rlll", {"fixed axes", "because each", "by name", "which"});
  for (const std::string& reason : reasons) {
    table.Add({std::to_string(axes[reason].size()), reason,
               FirstFew(causes[reason], 1), FirstFew(axes[reason], 2)});
  }
  return table.Text();
}

Json FixedJson(const Discovery& discovery) {
  Json list = Json::array();
  for (const FixedAxis& fixed : discovery.fixed) {
    list.push_back({{"weight", fixed.weight},
                    {"axis", fixed.axis},
                    {"indices", fixed.indices},
                    {"reason", fixed.reason},
                    {"cause", fixed.cause}});
  }
  return list;
}

std::string WhyText(const Discovery& discovery, const std::string& name) {
  const int group = FindGroup(discovery, name);
  Table table("ll", {"node", "ties"});
  for (const Tie& tie : discovery.ties[group]) {
    std::string axes;
    for (const std::string& axis : tie.axes) {
      axes += (axes.empty() ? "" : " = ") + Printable(axis);
    }
    table.Add({tie.node, axes});
  }
  return "group " + Printable(name) + ", " +
         Count(discovery.symmetry.groups()[group].size, "unit") + ":\n" +
         table.Text();
}

Json WhyJson(const Discovery& discovery, const std::string& name) {
  Json ties = Json::array();
  for (const Tie& tie : discovery.ties[FindGroup(discovery, name)]) {
    ties.push_back({{"node", tie.node}, {"axes", tie.axes}});
  }
  return ties;
}

}  // namespace rebasin::cli
