// Plans and checks the output before the first byte is written.

#ifndef REBASIN_FORMATS_WRITE_PLAN_H_
#define REBASIN_FORMATS_WRITE_PLAN_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "rebasin/checkpoint.h"

namespace rebasin {

// Sorts by descending element size, then by name, so that all data is aligned
// for its type. Throws Error(kBadInput) for invalid names, shapes and metadata,
// Error(kLimit) for output that the reader would refuse.
void CheckAndSortPlan(std::vector<TensorPlan>& plan,
                      const std::map<std::string, std::string>& metadata);

int64_t PlanBytes(std::span<const TensorPlan> plan);

// Splits the plan into consecutive parts of at most `shard_bytes`; a larger
// tensor becomes a part of its own. One part if shard_bytes is 0.
std::vector<std::span<const TensorPlan>> SplitIntoShards(
    std::span<const TensorPlan> plan, int64_t shard_bytes);

// The file names of the output `path`, which may be the name of a single file
// or of an index.
struct ShardNames {
  explicit ShardNames(const std::filesystem::path& path);

  std::filesystem::path Single() const;  // STEM.safetensors
  std::filesystem::path Index() const;   // STEM.safetensors.index.json
  // STEM-00001-of-00003.safetensors for shard 0 of 3.
  std::filesystem::path Shard(size_t shard, size_t count) const;

  std::filesystem::path folder;
  std::string stem;
  bool named_index;  // the path is the name of an index
};

// Returns the text of the index of these shards.
std::string MakeShardIndex(const ShardNames& names,
                           std::span<const std::span<const TensorPlan>> shards);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_WRITE_PLAN_H_
