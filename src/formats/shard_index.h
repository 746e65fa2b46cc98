// The index of a sharded checkpoint: the file of each tensor.

#ifndef REBASIN_FORMATS_SHARD_INDEX_H_
#define REBASIN_FORMATS_SHARD_INDEX_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "io/json.h"

namespace rebasin {

struct ShardIndex {
  std::map<std::string, std::string> weight_map;  // tensor to file name
  std::optional<int64_t> total_size;              // size of the data, if given
};

// Reads and checks an index: every shard must be a plain name of a safetensors
// or PyTorch (.bin) file, and must not differ from another only by case.
ShardIndex ParseShardIndex(const JsonText& text);

// Throws Error(kBadInput) if `shard`, in the folder of `index`, is a symbolic
// link that leaves that folder. Links of the Hugging Face cache
// (snapshots/REVISION/NAME -> ../../blobs/HASH) are accepted if the index
// itself is a link into the same blobs folder.
void CheckShardLink(const std::filesystem::path& index,
                    const std::filesystem::path& shard);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_SHARD_INDEX_H_
