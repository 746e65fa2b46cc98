#include "symmetry/spec_json.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/quoted_list.h"
#include "io/json.h"
#include "rebasin/error.h"
#include "symmetry/axis.h"
#include "symmetry/names.h"
#include "symmetry/scaling.h"

namespace rebasin {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr const char* kSpecFormat = "rebasin-symmetry";
constexpr int kVersion = 1;

[[noreturn]] void Fail(const std::string& origin, const std::string& what,
                       const std::string& hint = "") {
  throw Error(ErrorCode::kBadInput, origin + ": " + what, hint);
}

// Rejects unknown fields, which are usually misspelt.
void CheckKeys(const Json& json, const std::vector<std::string>& known,
               const std::string& origin) {
  for (const auto& [key, value] : json.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string meant = DidYouMean(key, known);
    Fail(origin, "unknown field " + Quoted(key),
         meant + (meant.empty() ? "" : " ") +
             "known fields: " + QuotedList(known));
  }
}

int64_t ParseSize(const Json& json, const std::string& group,
                  const std::string& origin) {
  if (!json.is_number_unsigned() || json.get<uint64_t>() > (1u << 30)) {
    Fail(origin, "group " + Quoted(group) +
                     ": its size must be a whole number up to 2^30, found " +
                     Printable(json.dump()));
  }
  return json.get<int64_t>();
}

// "P0": 512 or "qk": {"size": 64, "within": "heads"}. The parent's name is
// resolved after all groups are known.
Group ParseGroup(const std::string& name, const Json& json,
                 const std::string& origin, std::string* within) {
  Group group{.name = name};
  if (!json.is_object()) {
    group.size = ParseSize(json, name, origin);
    return group;
  }
  CheckKeys(json, {"size", "within"}, origin);
  if (!json.contains("size")) {
    Fail(origin, "group " + Quoted(name) + " has no \"size\"");
  }
  group.size = ParseSize(json["size"], name, origin);
  if (!json.contains("within")) return group;
  if (!json["within"].is_string()) {
    Fail(origin, "group " + Quoted(name) + ": \"within\" must name a group");
  }
  *within = json["within"].get<std::string>();
  return group;
}

std::vector<Group> ParseGroups(const Json& json, const std::string& origin) {
  std::vector<Group> groups;
  std::vector<std::string> outer(json.size());
  for (const auto& [name, value] : json.items()) {
    groups.push_back(ParseGroup(name, value, origin, &outer[groups.size()]));
  }
  const GroupIndex index(groups);
  for (size_t g = 0; g < groups.size(); ++g) {
    if (outer[g].empty()) continue;
    groups[g].parent = index.Find(outer[g]);
    if (groups[g].parent == kNoGroup) {
      Fail(origin, "group " + Quoted(groups[g].name) + " lies within " +
                       Quoted(outer[g]) + ", which does not exist");
    }
  }
  return groups;
}

std::vector<Axis> ParseAxes(const std::string& name, const Json& json,
                            const GroupIndex& groups,
                            const std::string& origin) {
  if (!json.is_array()) {
    Fail(origin, "tensor " + Quoted(name) +
                     ": expected a list with one axis expression per axis");
  }
  std::vector<Axis> axes;
  for (const Json& axis : json) {
    if (!axis.is_string()) {
      Fail(origin, "tensor " + Quoted(name) +
                       ": an axis expression must be a string, found " +
                       Printable(axis.dump()));
    }
    try {
      axes.push_back(ParseAxis(axis.get<std::string>(), groups));
    } catch (const Error& error) {
      throw Error(error.code(),
                  origin + ": tensor " + Quoted(name) + ": " + error.what(),
                  error.hint());
    }
  }
  return axes;
}

// {"along": axis, "parts": [axes of a part, ...]}
void ParseParts(const Json& json, const GroupIndex& groups,
                const std::string& origin, TensorSymmetry& tensor) {
  CheckKeys(json, {"along", "parts"},
            origin + ": tensor " + Quoted(tensor.name));
  const auto along = json.find("along");
  const auto parts = json.find("parts");
  if (along == json.end() || !along->is_number_unsigned() ||
      parts == json.end() || !parts->is_array() || parts->empty()) {
    Fail(origin, "tensor " + Quoted(tensor.name) +
                     ": expected \"along\", the number of an axis, and "
                     "\"parts\", a list of lists of axis expressions");
  }
  tensor.along = along->get<size_t>();
  for (const Json& part : *parts) {
    tensor.more_parts.push_back(ParseAxes(tensor.name, part, groups, origin));
  }
  tensor.axes = std::move(tensor.more_parts.front());
  tensor.more_parts.erase(tensor.more_parts.begin());
}

TensorSymmetry ParseTensor(const std::string& name, const Json& json,
                           const GroupIndex& groups,
                           const std::string& origin) {
  TensorSymmetry tensor{.name = name, .axes = {}};
  if (json.is_object()) {
    ParseParts(json, groups, origin, tensor);
  } else {
    tensor.axes = ParseAxes(name, json, groups, origin);
  }
  return tensor;
}

std::set<std::string> ParseStatistics(const Json& json, const Json& tensors,
                                      const std::string& origin) {
  std::set<std::string> names;
  if (!json.contains("statistics")) return names;
  if (!json["statistics"].is_array()) {
    Fail(origin, "\"statistics\" must be a list of tensor names");
  }
  for (const Json& name : json["statistics"]) {
    if (!name.is_string() || !tensors.contains(name.get<std::string>())) {
      Fail(origin, "\"statistics\" lists " + Printable(name.dump()) +
                       ", which is not one of the \"tensors\"");
    }
    names.insert(name.get<std::string>());
  }
  return names;
}

[[noreturn]] void FailList(const std::string& list, const std::string& what,
                           const std::string& origin) {
  Fail(origin, "list " + Quoted(list) + ": " + what);
}

// "experts.*.up": {"group": "experts", "tensors": ["experts.0.up", ...]}
void ParseList(const std::string& list, const Json& json,
               const GroupIndex& groups, const std::string& origin,
               std::map<std::string, TensorSymmetry*>& tensors) {
  if (!json.is_object() || !json.contains("group") ||
      !json["group"].is_string() || !json.contains("tensors") ||
      !json["tensors"].is_array()) {
    FailList(list,
             "expected an object with \"group\", the name of a group, and "
             "\"tensors\", a list of names",
             origin);
  }
  CheckKeys(json, {"group", "tensors"}, origin);
  const int group = groups.Find(json["group"].get<std::string>());
  if (group == kNoGroup) {
    FailList(list, "there is no group " + Printable(json["group"].dump()),
             origin);
  }
  int64_t index = 0;
  for (const Json& name : json["tensors"]) {
    const auto found = name.is_string() ? tensors.find(name.get<std::string>())
                                        : tensors.end();
    if (found == tensors.end()) {
      FailList(list, Printable(name.dump()) + " is not one of the \"tensors\"",
               origin);
    }
    if (found->second->in_list()) {
      FailList(list, "tensor " + Quoted(found->first) + " is in a list already",
               origin);
    }
    found->second->member = {list, group, index++};
  }
}

void ParseLists(const Json& json, const GroupIndex& groups,
                const std::string& origin,
                std::vector<TensorSymmetry>& tensors) {
  if (!json.contains("lists")) return;
  std::map<std::string, TensorSymmetry*> by_name;
  for (TensorSymmetry& tensor : tensors) by_name[tensor.name] = &tensor;
  for (const auto& [list, value] : ObjectField(json, "lists", origin).items()) {
    ParseList(list, value, groups, origin, by_name);
  }
}

OrderedJson ListsToJson(const Symmetry& symmetry) {
  OrderedJson lists = OrderedJson::object();
  for (const auto& [name, list] : symmetry.lists()) {
    OrderedJson tensors = OrderedJson::array();
    for (int index : list) tensors.push_back(symmetry.tensors()[index].name);
    const int group = symmetry.tensors()[list[0]].member.group;
    lists[name] = {{"group", symmetry.groups()[group].name},
                   {"tensors", std::move(tensors)}};
  }
  return lists;
}

OrderedJson GroupToJson(const Symmetry& symmetry, const Group& group) {
  if (group.parent == kNoGroup) return group.size;
  return {{"size", group.size},
          {"within", symmetry.groups()[group.parent].name}};
}

OrderedJson AxesToJson(const Symmetry& symmetry,
                       const std::vector<Axis>& axes) {
  OrderedJson texts = OrderedJson::array();
  for (const Axis& axis : axes) {
    texts.push_back(AxisText(axis, symmetry.groups()));
  }
  return texts;
}

OrderedJson TensorToJson(const Symmetry& symmetry,
                         const TensorSymmetry& tensor) {
  if (tensor.parts() == 1) return AxesToJson(symmetry, tensor.axes);
  OrderedJson parts = OrderedJson::array();
  for (size_t p = 0; p < tensor.parts(); ++p) {
    parts.push_back(AxesToJson(symmetry, tensor.part(p)));
  }
  return {{"along", tensor.along}, {"parts", std::move(parts)}};
}

}  // namespace

int CheckFormat(const Json& json, const std::string& format,
                const std::string& origin, int newest) {
  if (!json.is_object()) Fail(origin, "expected a JSON object");
  const auto found = json.find("format");
  if (found == json.end() || *found != format) {
    Fail(origin, "expected a file with \"format\": \"" + format + "\"");
  }
  const auto version = json.find("version");
  if (version == json.end() || !version->is_number_unsigned() || *version < 1 ||
      *version > newest) {
    throw Error(
        ErrorCode::kUnsupported,
        origin + ": " + format + " version " +
            (version == json.end() ? "missing" : Printable(version->dump())) +
            ", this program reads version 1" +
            (newest > 1 ? " to " + std::to_string(newest) : ""));
  }
  return version->get<int>();
}

const Json& ObjectField(const Json& json, std::string_view key,
                        const std::string& origin) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_object()) {
    Fail(origin, "\"" + std::string(key) + "\" is missing or not an object");
  }
  return *found;
}

OrderedJson SpecToJson(const Symmetry& symmetry) {
  OrderedJson groups = OrderedJson::object();
  for (const Group& group : symmetry.groups()) {
    groups[group.name] = GroupToJson(symmetry, group);
  }
  OrderedJson tensors = OrderedJson::object();
  OrderedJson statistics = OrderedJson::array();
  for (const TensorSymmetry& tensor : symmetry.tensors()) {
    tensors[tensor.name] = TensorToJson(symmetry, tensor);
    if (tensor.statistic) statistics.push_back(tensor.name);
  }
  OrderedJson json = {{"format", kSpecFormat},
                      {"version", kVersion},
                      {"groups", std::move(groups)},
                      {"tensors", std::move(tensors)}};
  if (!symmetry.lists().empty()) json["lists"] = ListsToJson(symmetry);
  if (!statistics.empty()) json["statistics"] = std::move(statistics);
  if (!symmetry.scalings().empty()) {
    json["scalings"] = ScalingsToJson(symmetry);
  }
  return json;
}

Symmetry SpecFromJson(const Json& json, const std::string& origin) {
  CheckFormat(json, kSpecFormat, origin);
  CheckKeys(json,
            {"format", "version", "groups", "tensors", "lists", "statistics",
             "scalings"},
            origin);
  const Json& tensor_json = ObjectField(json, "tensors", origin);
  std::vector<Group> groups =
      ParseGroups(ObjectField(json, "groups", origin), origin);
  const auto statistics = ParseStatistics(json, tensor_json, origin);
  const GroupIndex index(groups);
  std::vector<TensorSymmetry> tensors;
  for (const auto& [name, axes] : tensor_json.items()) {
    tensors.push_back(ParseTensor(name, axes, index, origin));
    tensors.back().statistic = statistics.contains(name);
  }
  ParseLists(json, index, origin, tensors);
  std::vector<Scaling> scalings;
  if (json.contains("scalings")) {
    scalings = ScalingsFromJson(json["scalings"], groups, origin);
  }
  try {
    return Symmetry(std::move(groups), std::move(tensors), std::move(scalings));
  } catch (const Error& error) {
    throw Error(error.code(), origin + ": " + error.what(), error.hint());
  }
}

std::string PrettyText(const OrderedJson& json) {
  std::string text = "{";
  for (auto it = json.begin(); it != json.end(); ++it) {
    text += it == json.begin() ? "\n" : ",\n";
    text += "  " + OrderedJson(it.key()).dump() + ": ";
    if (it->is_array() && !it->empty() && it->front().is_object()) {
      for (size_t i = 0; i < it->size(); ++i) {
        text += (i == 0 ? "[\n    " : ",\n    ") + (*it)[i].dump();
      }
      text += "\n  ]";
      continue;
    }
    if (!it->is_object() || it->empty()) {
      text += it->dump();
      continue;
    }
    text += "{";
    for (auto inner = it->begin(); inner != it->end(); ++inner) {
      text += inner == it->begin() ? "\n" : ",\n";
      text += "    " + OrderedJson(inner.key()).dump() + ": " + inner->dump();
    }
    text += "\n  }";
  }
  return text + "\n}\n";
}

Symmetry Symmetry::FromJson(std::string_view text, const std::string& origin) {
  return SpecFromJson(ParseJson({.text = text, .source = origin}), origin);
}

Symmetry Symmetry::Load(const std::filesystem::path& path) {
  return SpecFromJson(ReadJsonFile(path), Quoted(path.string()));
}

std::string Symmetry::ToJson() const { return PrettyText(SpecToJson(*this)); }

}  // namespace rebasin
