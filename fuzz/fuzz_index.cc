// The index of a sharded checkpoint: no accepted shard name leaves its folder.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "formats/shard_index.h"
#include "fuzz_check.h"
#include "rebasin/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const ShardIndex index = ParseShardIndex({.text = text, .source = "input"});
    for (const auto& [tensor, shard] : index.weight_map) {
      const std::filesystem::path name(shard);
      FUZZ_CHECK(name == name.filename());
      FUZZ_CHECK(name.extension() == ".safetensors" || name == ".safetensors");
    }
  } catch (const Error&) {
  }
  return 0;
}
