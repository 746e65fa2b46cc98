// Opens a sharded checkpoint; index and shards must agree.

#include <cerrno>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/quoted_list.h"
#include "formats/checkpoint_builder.h"
#include "formats/formats.h"
#include "formats/limits.h"
#include "formats/shard_index.h"
#include "io/file.h"
#include "rebasin/error.h"

namespace rebasin {
namespace fs = std::filesystem;
namespace {

std::set<std::string> ShardNames(const ShardIndex& index) {
  std::set<std::string> names;
  for (const auto& [tensor, shard] : index.weight_map) names.insert(shard);
  return names;
}

void CheckShardsExist(const fs::path& index,
                      const std::set<std::string>& shards) {
  std::vector<std::string> missing;
  for (const std::string& name : shards) {
    std::error_code error;
    if (!fs::exists(index.parent_path() / name, error)) {
      missing.push_back(name);
    }
  }
  if (missing.empty()) return;
  throw Error(ErrorCode::kIo,
              Quoted(index.native()) + ": " + std::to_string(missing.size()) +
                  " of " + std::to_string(shards.size()) +
                  " shards are missing: " + QuotedList(missing));
}

// Throws if the shard has tensors that the index does not assign to it.
void CheckNoneExtra(const ShardIndex& index, const std::string& source,
                    const std::string& shard,
                    const std::vector<std::string>& names) {
  std::vector<std::string> extra;
  for (const std::string& name : names) {
    const auto found = index.weight_map.find(name);
    if (found == index.weight_map.end()) {
      extra.push_back(name);
    } else if (found->second != shard) {
      throw Error(ErrorCode::kBadInput, source + ": tensor " + Quoted(name) +
                                            " is in shard " + Quoted(shard) +
                                            ", but the index places it in " +
                                            Quoted(found->second));
    }
  }
  if (extra.empty()) return;
  throw Error(ErrorCode::kBadInput,
              source + ": shard " + Quoted(shard) + " holds " +
                  std::to_string(extra.size()) +
                  " tensors that the index omits: " + QuotedList(extra));
}

void CheckNoneLacking(const ShardIndex& index, const Checkpoint& checkpoint,
                      const std::string& source) {
  for (const auto& [tensor, shard] : index.weight_map) {
    if (checkpoint.Find(tensor) != nullptr) continue;
    throw Error(ErrorCode::kBadInput, source + ": shard " + Quoted(shard) +
                                          " lacks tensor " + Quoted(tensor) +
                                          ", which the index places there");
  }
}

// Returns the names of the shard's tensors.
std::vector<std::string> AddShard(const fs::path& file,
                                  const OpenOptions& options, const Run& run,
                                  CheckpointBuilder& builder) {
  if (file.extension() == ".safetensors") {
    return builder.AddSafetensors(MappedFile::Open(file));
  }
  const InputFile input(file, run.threads);
  const Checkpoint shard =
      CheckpointFormats().Of(input).read(input, options, run);
  builder.WatchFilesOf(shard);
  std::vector<std::string> names;
  for (const Tensor& tensor : shard.tensors()) {
    names.push_back(tensor.name);
    builder.AddTensor(tensor);
  }
  return names;
}

// Tensors that share their bytes count once.
int64_t DistinctBytes(const Checkpoint& checkpoint) {
  std::set<const std::byte*> known;
  int64_t total = 0;
  for (const Tensor& tensor : checkpoint.tensors()) {
    if (!known.insert(tensor.bytes.data()).second) continue;
    total += static_cast<int64_t>(tensor.bytes.size());
  }
  return total;
}

void WarnOfTotalSize(const ShardIndex& index, const Checkpoint& checkpoint,
                     const std::string& source, const Warn& warn) {
  if (!warn || !index.total_size) return;
  if (*index.total_size == checkpoint.bytes() ||
      *index.total_size == DistinctBytes(checkpoint)) {
    return;
  }
  warn(source + ": total_size is " + std::to_string(*index.total_size) +
       ", but the tensors have " + std::to_string(checkpoint.bytes()) +
       " bytes");
}

}  // namespace

Checkpoint OpenSharded(const fs::path& path, const OpenOptions& options,
                       const Run& run) {
  const std::string source = Quoted(path.native());
  const std::string text = ReadSmallFile(path, kMaxIndexBytes);
  const ShardIndex index = ParseShardIndex({.text = text, .source = source});
  const std::set<std::string> shards = ShardNames(index);
  CheckShardsExist(path, shards);
  CheckpointBuilder builder(run.warn);
  for (const std::string& shard : shards) {
    const fs::path file = path.parent_path() / shard;
    if (!options.follow_symlinks) CheckShardLink(path, file);
    CheckNoneExtra(index, source, shard, AddShard(file, options, run, builder));
  }
  Checkpoint checkpoint = builder.Build();
  CheckNoneLacking(index, checkpoint, source);
  WarnOfTotalSize(index, checkpoint, source, run.warn);
  return checkpoint;
}

}  // namespace rebasin
