#include "formats/write_plan.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "formats/limits.h"
#include "formats/safetensors_header.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void Fail(ErrorCode code, const std::string& what) {
  throw Error(code, "cannot write " + what);
}

void CheckUtf8(const std::string& text, const std::string& what) {
  try {
    nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    Fail(ErrorCode::kBadInput, what + " " + Quoted(text) + ": not UTF-8");
  }
}

void CheckName(const std::string& name) {
  const bool reserved = name.empty() || name == "__metadata__" ||
                        name.find('\0') != std::string::npos;
  if (reserved) {
    Fail(ErrorCode::kBadInput, "a tensor of the name " + Quoted(name));
  }
  if (name.size() > kMaxNameBytes) {
    Fail(ErrorCode::kLimit, "tensor " + Quoted(name) +
                                ": its name is longer than " +
                                std::to_string(kMaxNameBytes) + " bytes");
  }
  CheckUtf8(name, "tensor");
}

void CheckTensor(const TensorPlan& tensor) {
  CheckName(tensor.name);
  if (tensor.shape.size() > kMaxRank) {
    Fail(ErrorCode::kLimit, "tensor " + Quoted(tensor.name) +
                                ": it has more than " +
                                std::to_string(kMaxRank) + " dimensions");
  }
  if (DataBytes(tensor.dtype, tensor.shape)) return;
  Fail(ErrorCode::kBadInput,
       "tensor " + Quoted(tensor.name) + ": shape " + ShapeText(tensor.shape) +
           " of " + std::string(DTypeName(tensor.dtype)) + " has no size");
}

void CheckTotal(const std::vector<TensorPlan>& plan) {
  int64_t total = 0;
  for (const TensorPlan& tensor : plan) {
    const auto next = CheckedAdd(total, *DataBytes(tensor.dtype, tensor.shape));
    if (!next) Fail(ErrorCode::kLimit, "more than 2^63 bytes");
    total = *next;
  }
}

// Sorting in file order does not make equal names adjacent if their types
// differ in size.
void CheckNamesDiffer(const std::vector<TensorPlan>& plan) {
  std::vector<std::string_view> names;
  names.reserve(plan.size());
  for (const TensorPlan& tensor : plan) names.push_back(tensor.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return;
  Fail(ErrorCode::kBadInput, "tensor " + Quoted(*twice) + " twice");
}

bool ComesFirst(const TensorPlan& a, const TensorPlan& b) {
  const int bits_a = DTypeBits(a.dtype), bits_b = DTypeBits(b.dtype);
  return std::tie(bits_b, a.name) < std::tie(bits_a, b.name);
}

bool RemoveEnding(std::string& text, std::string_view ending) {
  if (!text.ends_with(ending)) return false;
  text.resize(text.size() - ending.size());
  return true;
}

}  // namespace

void CheckAndSortPlan(std::vector<TensorPlan>& plan,
                      const std::map<std::string, std::string>& metadata) {
  if (plan.size() > kMaxTensors) {
    Fail(ErrorCode::kLimit,
         "more than " + std::to_string(kMaxTensors) + " tensors");
  }
  for (const TensorPlan& tensor : plan) CheckTensor(tensor);
  for (const auto& [key, value] : metadata) {
    CheckUtf8(key, "metadata key");
    CheckUtf8(value, "metadata value");
  }
  CheckTotal(plan);
  CheckNamesDiffer(plan);
  std::sort(plan.begin(), plan.end(), ComesFirst);
}

int64_t PlanBytes(std::span<const TensorPlan> plan) {
  int64_t total = 0;
  for (const TensorPlan& tensor : plan) {
    total += *DataBytes(tensor.dtype, tensor.shape);
  }
  return total;
}

std::vector<std::span<const TensorPlan>> SplitIntoShards(
    std::span<const TensorPlan> plan, int64_t shard_bytes) {
  if (shard_bytes <= 0) return {plan};
  std::vector<std::span<const TensorPlan>> shards;
  size_t begin = 0;
  int64_t filled = 0;
  for (size_t i = 0; i < plan.size(); ++i) {
    const int64_t bytes = PlanBytes(plan.subspan(i, 1));
    if (i > begin && bytes > shard_bytes - filled) {
      shards.push_back(plan.subspan(begin, i - begin));
      begin = i;
      filled = 0;
    }
    filled += bytes;
  }
  shards.push_back(plan.subspan(begin));
  return shards;
}

ShardNames::ShardNames(const fs::path& path)
    : folder(path.parent_path()), stem(path.filename().native()) {
  named_index = RemoveEnding(stem, ".index.json");
  RemoveEnding(stem, ".safetensors");
}

fs::path ShardNames::Single() const { return folder / (stem + ".safetensors"); }

fs::path ShardNames::Index() const {
  return folder / (stem + ".safetensors.index.json");
}

fs::path ShardNames::Shard(size_t shard, size_t count) const {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "-%05zu-of-%05zu.safetensors",
                shard + 1, count);
  return folder / (stem + text.data());
}

std::string MakeShardIndex(
    const ShardNames& names,
    std::span<const std::span<const TensorPlan>> shards) {
  CheckUtf8(names.stem, "an index for the file name");
  // Starts as an object: if operator[] converts a null to an object and memory
  // runs out, the null is not destroyed correctly.
  nlohmann::json map = nlohmann::json::object();
  int64_t total = 0;
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string file = names.Shard(i, shards.size()).filename().native();
    for (const TensorPlan& tensor : shards[i]) {
      map[tensor.name] = file;
    }
    total += PlanBytes(shards[i]);
  }
  const nlohmann::json index = {{"metadata", {{"total_size", total}}},
                                {"weight_map", std::move(map)}};
  return index.dump(2) + "\n";
}

}  // namespace rebasin
