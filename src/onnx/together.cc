#include "onnx/together.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>

#include "formats/checkpoint_builder.h"
#include "graph/pair_values.h"
#include "onnx/graph_reader.h"
#include "onnx/model_file.h"
#include "onnx/names.h"
#include "onnx/roles.h"
#include "onnx/tables.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

// One of the models while roles and names are being determined.
struct ModelPart {
  std::vector<std::string> warnings;
  std::unique_ptr<ModelFile> file;
  std::vector<Role> roles;              // of the file's initializers
  std::map<std::string, size_t> index;  // of the file's initializers
  Graph graph;
  // From names of the first model's initializers to those of this file, where
  // they differ.
  std::map<std::string, std::string> own_names;

  const Tensor* Find(const std::string& name) const {
    const auto found = index.find(name);
    return found == index.end() ? nullptr
                                : &file->initializers()[found->second];
  }
  const std::string& OwnName(const std::string& name) const {
    const auto found = own_names.find(name);
    return found == own_names.end() ? name : found->second;
  }
};

ModelPart ReadModelPart(const fs::path& path, const OnnxOptions& options,
                        std::vector<std::string>& warnings) {
  ModelPart part;
  part.file = std::make_unique<ModelFile>(path, options, warnings);
  part.roles = ClassifyInitializers(*part.file, options);
  part.graph = ReadGraph(*part.file, part.roles);
  for (size_t i = 0; i < part.roles.size(); ++i) {
    part.index.emplace(part.file->initializers()[i].name, i);
  }
  return part;
}

// Tensors with a name chosen by the exporter are identified by their place,
// regardless of name and values.
std::string PlaceKey(const Value& value) {
  const bool number = value.role == Role::kConstant &&
                      (value.kind != Kind::kFloat || value.constant.size() < 2);
  if (number || !IsAnonymous(value.name)) return "";
  return ShapeText(value.shape);
}

// Pairs initializers with names chosen by the exporter by their place in the
// graph.
std::map<std::string, std::string> NamesByPlace(const ModelPart& first,
                                                const ModelPart& other) {
  std::map<std::string, std::string> names;
  std::set<std::string_view> taken;
  const PairedGraphs pairs(first.graph, other.graph, PlaceKey);
  pairs.Walk(/*into_same=*/true, [&](ValuePair pair) {
    const std::string& a = first.graph.values()[pair.a].name;
    const std::string& b = other.graph.values()[pair.b].name;
    const Tensor* of_a = first.Find(a);
    const Tensor* of_b = other.Find(b);
    if (of_a == nullptr || of_b == nullptr || !IsAnonymous(a) ||
        !IsAnonymous(b) || of_a->shape != of_b->shape) {
      return;
    }
    if (!names.contains(a) && taken.insert(b).second) names.emplace(a, b);
  });
  return names;
}

bool SameNumbers(const Tensor& a, const Tensor& b) {
  return a.dtype == b.dtype && a.shape == b.shape &&
         std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(),
                    b.bytes.end());
}

bool LooksTrained(const Tensor& tensor) {
  return IsArithmetic(tensor.dtype) && tensor.size() > 1 &&
         !HoldsFewNumbers(tensor) && !FollowsFormula(tensor);
}

// The tensors with this name of all models that have it, and whether it is a
// weight in one of them.
struct Counterparts {
  std::vector<const Tensor*> tensors;
  bool weight = false;
};

Counterparts FindCounterparts(const std::string& name,
                              const std::vector<ModelPart>& parts) {
  Counterparts found;
  for (const ModelPart& part : parts) {
    const auto at = part.index.find(part.OwnName(name));
    if (at == part.index.end()) continue;
    const Tensor& tensor = part.file->initializers()[at->second];
    if (!found.tensors.empty() && found.tensors[0]->shape != tensor.shape) {
      continue;
    }
    found.tensors.push_back(&tensor);
    found.weight |= part.roles[at->second] == Role::kWeight;
  }
  return found;
}

// A tensor is a weight in all models if it is a weight in one, or if its name
// was chosen by the exporter, its values differ between the models, and they
// look trained.
bool IsWeightInAll(const std::string& name,
                   const std::vector<ModelPart>& parts) {
  const Counterparts found = FindCounterparts(name, parts);
  if (found.weight) return true;
  if (!IsAnonymous(name)) return false;
  const bool same = std::all_of(
      found.tensors.begin(), found.tensors.end(),
      [&](const Tensor* x) { return SameNumbers(*x, *found.tensors[0]); });
  return !same && std::all_of(found.tensors.begin(), found.tensors.end(),
                              [](const Tensor* x) { return LooksTrained(*x); });
}

// Integers remain constants.
void MarkAsWeight(const std::string& own_name, ModelPart& part) {
  const auto found = part.index.find(own_name);
  if (found == part.index.end()) return;
  const Tensor& tensor = part.file->initializers()[found->second];
  if (IsArithmetic(tensor.dtype)) part.roles[found->second] = Role::kWeight;
}

void UnifyRoles(std::vector<ModelPart>& parts) {
  for (const Tensor& tensor : parts[0].file->initializers()) {
    if (!IsWeightInAll(tensor.name, parts)) continue;
    for (ModelPart& part : parts) MarkAsWeight(part.OwnName(tensor.name), part);
  }
}

// Maps names of this file to the first model's names where they differ. An
// initializer whose name is taken by another one gets a new name that no file
// has.
std::map<std::string, std::string> NewNames(const ModelPart& part) {
  std::map<std::string, std::string> names;
  for (const auto& [name, own] : part.own_names) names[own] = name;
  for (const auto& [name, own] : part.own_names) {
    if (!names.contains(name)) names[name] = name + " (unpaired)";
  }
  return names;
}

Graph RenamedGraph(const ModelPart& part,
                   const std::map<std::string, std::string>& names) {
  std::vector<Value> values = part.graph.values();
  for (Value& value : values) {
    const auto found = part.index.find(value.name);
    const bool stored =
        value.role == Role::kWeight ||
        (value.role == Role::kConstant && found != part.index.end());
    if (stored && found != part.index.end()) {
      value.role = part.roles[found->second];
      if (value.role == Role::kWeight) value.constant = {};
    }
    const auto renamed = names.find(value.name);
    if (renamed != names.end()) value.name = renamed->second;
  }
  return Graph(std::move(values), part.graph.nodes(), part.graph.outputs());
}

Checkpoint RenamedWeights(const ModelPart& part,
                          const std::map<std::string, std::string>& names) {
  CheckpointBuilder builder;
  for (size_t i = 0; i < part.roles.size(); ++i) {
    if (part.roles[i] != Role::kWeight) continue;
    Tensor tensor = part.file->initializers()[i];
    const auto renamed = names.find(tensor.name);
    if (renamed != names.end()) tensor.name = renamed->second;
    builder.AddTensor(std::move(tensor));
  }
  for (const auto& mapped : part.file->files()) builder.Watch(mapped);
  return builder.Build();
}

}  // namespace

OnnxSet ReadOnnxTogether(const std::vector<fs::path>& paths,
                         const OnnxOptions& options) {
  OnnxSet set;
  set.models.resize(paths.size());
  std::vector<ModelPart> parts;
  for (size_t m = 0; m < paths.size(); ++m) {
    parts.push_back(ReadModelPart(paths[m], options, set.models[m].warnings));
    if (m == 0) continue;
    parts[m].own_names = NamesByPlace(parts[0], parts[m]);
    std::erase_if(parts[m].own_names,
                  [](const auto& name) { return name.first == name.second; });
  }
  UnifyRoles(parts);
  for (size_t m = 0; m < parts.size(); ++m) {
    const auto names = NewNames(parts[m]);
    set.models[m].graph = RenamedGraph(parts[m], names);
    set.models[m].weights = RenamedWeights(parts[m], names);
    set.differences.push_back(
        CompareGraphs(set.models[0].graph, set.models[m].graph));
    set.own_names.push_back(parts[m].own_names);
  }
  return set;
}

}  // namespace rebasin
