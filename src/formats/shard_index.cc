#include "formats/shard_index.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "formats/limits.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using Json = nlohmann::json;

[[noreturn]] void Fail(const std::string& source, const std::string& what,
                       ErrorCode code = ErrorCode::kBadInput,
                       const std::string& hint = "") {
  throw Error(code, source + ": " + what, hint);
}

std::string Lowercase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return text;
}

// True if every system reads the text as a plain name in this folder.
bool IsPlainFileName(std::string_view name) {
  const bool has_drive = name.size() >= 2 && name[1] == ':' &&
                         std::isalpha(static_cast<unsigned char>(name[0])) != 0;
  return !name.empty() && name != "." && name != ".." && !has_drive &&
         name.find_first_of(std::string_view("/\\\0", 3)) ==
             std::string_view::npos;
}

void CheckShardName(const std::string& source, const std::string& name) {
  if (!IsPlainFileName(name)) {
    Fail(source, "shard name must be a plain file name, not " + Quoted(name));
  }
  if (name.ends_with(".safetensors") || name.ends_with(".bin")) return;
  Fail(source,
       "shard " + Quoted(name) + " is neither a .safetensors nor a .bin file",
       ErrorCode::kUnsupported, "convert the model to safetensors");
}

const Json& WeightMap(const Json& root, const std::string& source) {
  if (!root.is_object()) Fail(source, "the index must be an object");
  const auto found = root.find("weight_map");
  if (found == root.end()) Fail(source, "field \"weight_map\" is missing");
  if (!found->is_object()) {
    Fail(source, std::string("\"weight_map\" must be an object, not ") +
                     found->type_name());
  }
  return *found;
}

void CheckSpellings(const std::string& source, const ShardIndex& index) {
  std::map<std::string, std::string> spellings;
  for (const auto& [tensor, shard] : index.weight_map) {
    const auto& known = spellings.try_emplace(Lowercase(shard), shard);
    const std::string& first = known.first->second;
    if (first == shard) continue;
    Fail(source, "duplicate shard: " + Quoted(first) + " and " + Quoted(shard) +
                     " differ only by case");
  }
}

std::optional<int64_t> TotalSize(const Json& root) {
  const auto metadata = root.find("metadata");
  if (metadata == root.end() || !metadata->is_object()) return std::nullopt;
  const auto size = metadata->find("total_size");
  if (size == metadata->end() || !size->is_number()) return std::nullopt;
  // Some writers store it as a float. Implausible values cannot be equal to the
  // real size and are reported unchanged.
  const double value = size->get<double>();
  return value >= 0 && value < 0x1p62 ? size->get<int64_t>() : int64_t{-1};
}

}  // namespace

ShardIndex ParseShardIndex(const JsonText& text) {
  const Json root = ParseJson(text, {.bytes = kMaxIndexBytes});
  ShardIndex index;
  for (const auto& [tensor, shard] : WeightMap(root, text.source).items()) {
    if (!shard.is_string()) {
      Fail(text.source, "weight_map: the shard of tensor " + Quoted(tensor) +
                            " must be a string, not " + shard.type_name());
    }
    const auto& name = shard.get_ref<const std::string&>();
    CheckShardName(text.source, name);
    index.weight_map.emplace(tensor, name);
  }
  CheckSpellings(text.source, index);
  index.total_size = TotalSize(root);
  return index;
}

}  // namespace rebasin
