// What will be written where, decided and checked before the first byte.

#ifndef REBASIN_FORMATS_WRITE_PLAN_H_
#define REBASIN_FORMATS_WRITE_PLAN_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"

namespace rebasin {

// Throws Error(kBadInput) for names, shapes and metadata that no file may
// hold, Error(kLimit) for what the reader would refuse. Sorts by element size,
// largest first, then by name: so all data is aligned for its type.
void CheckAndSortPlan(std::vector<TensorPlan>& plan,
                      const std::map<std::string, std::string>& metadata);

int64_t PlanBytes(std::span<const TensorPlan> plan);

// Consecutive parts of the plan of at most `shard_bytes` each; a tensor that
// is larger has a part of its own. One part if shard_bytes is 0.
std::vector<std::span<const TensorPlan>> SplitIntoShards(
    std::span<const TensorPlan> plan, int64_t shard_bytes);

// The names of a set of files for the output `path`, which may be the name of
// a single file or of an index.
struct ShardNames {
  explicit ShardNames(const std::filesystem::path& path);

  std::filesystem::path Single() const;  // STEM.safetensors
  std::filesystem::path Index() const;   // STEM.safetensors.index.json
  // STEM-00001-of-00003.safetensors for shard 0 of 3.
  std::filesystem::path Shard(size_t shard, size_t count) const;

  std::filesystem::path folder;
  std::string stem;
  bool named_index;  // the path was that of an index
};

// The text of an index for such shards.
std::string MakeShardIndex(const ShardNames& names,
                           std::span<const std::span<const TensorPlan>> shards);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_WRITE_PLAN_H_
