#include <algorithm>
#include <optional>

#include "rebasin/error.h"
#include "rebasin/zoo.h"
#include "zoo/families/family.h"

namespace rebasin {
namespace zoo {
namespace {

// Tables and masks that some releases stored. Floating-point ones only: others
// need no description.
bool IsBuffer(const std::string& name) {
  static const std::vector<std::string> kEndings = {
      ".rotary_emb.inv_freq",   ".attn.bias",
      ".attn.masked_bias",      ".attention.bias",
      ".attention.masked_bias", ".embed_positions",
      ".rotary_emb.cos_cached", ".rotary_emb.sin_cached"};
  return std::any_of(
      kEndings.begin(), kEndings.end(),
      [&](const std::string& end) { return name.ends_with(end); });
}

const Family* FindFamily(const std::string& model_type) {
  for (const Family& family : AllFamilies()) {
    if (family.model_type == model_type) return &family;
  }
  return nullptr;
}

// What stands in front of the family's anchor: the shortest, if there are many.
std::optional<std::string> FrontOf(const Family& family,
                                   const Checkpoint& weights) {
  std::optional<std::string> front;
  for (const Tensor& tensor : weights.tensors()) {
    const std::string& name = tensor.name;
    if (!name.ends_with(family.anchor)) continue;
    std::string found = name.substr(0, name.size() - family.anchor.size());
    if (!found.empty() && found.back() != '.') continue;
    if (!front || found.size() < front->size()) front = std::move(found);
  }
  return front;
}

void Locate(const Family& family, const std::string& config, Net& net) {
  const auto front = FrontOf(family, net.weights);
  if (!front) {
    throw Error(ErrorCode::kMismatch,
                config + " says \"model_type\" " + Quoted(family.model_type) +
                    ", but the model has no tensor " +
                    Quoted(family.base + family.anchor),
                "move config.json away if it belongs to another model");
  }
  net.base = net.outer = *front;
  if (!family.base.empty() && front->ends_with(family.base)) {
    net.outer.resize(front->size() - family.base.size());
  }
}

void CheckTensor(const Value& weight, const Net& net,
                 const std::string& config) {
  const Tensor* tensor = net.weights.Find(weight.name);
  const std::string hint =
      "move config.json away if it belongs to another model";
  if (tensor == nullptr) {
    throw Error(ErrorCode::kMismatch,
                "by " + config + " there must be a tensor " +
                    Quoted(weight.name) + " of " + ShapeText(weight.shape) +
                    "; the model has none",
                hint + "; else a shard may be missing");
  }
  if (tensor->shape == weight.shape) return;
  throw Error(ErrorCode::kMismatch,
              "tensor " + Quoted(weight.name) + " is " +
                  ShapeText(tensor->shape) + ", but must be " +
                  ShapeText(weight.shape) + " by " + config,
              hint);
}

std::vector<Companion> CompanionsOf(const Net& net, const Graph& graph) {
  std::vector<Companion> companions;
  for (const Tensor& tensor : net.weights.tensors()) {
    if (graph.FindWeight(tensor.name) == kNoValue && IsBuffer(tensor.name)) {
      companions.push_back({.tensor = tensor.name});
    }
  }
  for (const auto& [copy, original] : net.ties) {
    companions.push_back({.tensor = copy, .copy_of = original});
  }
  return companions;
}

}  // namespace

const std::vector<Family>& AllFamilies() {
  static const std::vector<Family> all = [] {
    std::vector<Family> families;
    for (const auto list :
         {LlamaFamilies,   GemmaFamilies,  PhiFamilies,      GptFamilies,
          OptFamilies,     FalconFamilies, StableLmFamilies, OlmoFamilies,
          MixtralFamilies, BertFamilies,   AlbertFamilies,   VisionFamilies,
          ClipFamilies,    SiglipFamilies, SwinFamilies,     ConvNextFamilies,
          T5Families,      BartFamilies,   UnetFamilies,     VaeFamilies}) {
      for (Family& family : list()) families.push_back(std::move(family));
    }
    return families;
  }();
  return all;
}

}  // namespace zoo

std::vector<FamilyEntry> FamilyEntries() {
  std::vector<FamilyEntry> entries;
  for (const zoo::Family& family : zoo::AllFamilies()) {
    entries.push_back({family.model_type, family.description});
  }
  return entries;
}

std::optional<FamilyModel> ReadFamily(const std::filesystem::path& path,
                                      const Checkpoint& weights) {
  const zoo::FamilyConfig config = zoo::FamilyConfig::Read(path);
  const zoo::Family* family = zoo::FindFamily(config.ModelType());
  if (family == nullptr) return std::nullopt;
  const std::string source = Quoted(path.native());
  GraphBuilder builder;
  zoo::Net net{.g = builder, .config = config, .weights = weights};
  zoo::Locate(*family, source, net);
  family->build(net);
  FamilyModel model{.name = family->model_type, .graph = builder.Build()};
  for (const ValueId id : model.graph.weights()) {
    zoo::CheckTensor(model.graph.values()[static_cast<size_t>(id)], net,
                     source);
  }
  model.companions = zoo::CompanionsOf(net, model.graph);
  return model;
}

}  // namespace rebasin
