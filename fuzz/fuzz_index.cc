// The index of a sharded checkpoint: no accepted shard name leaves its folder,
// and an accepted index can be written and read back.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "formats/shard_index.h"
#include "fuzz_check.h"
#include "memory.h"
#include "rebasin/error.h"

namespace {

using namespace rebasin;

void CheckNames(const ShardIndex& index) {
  for (const auto& [tensor, shard] : index.weight_map) {
    const std::filesystem::path name(shard);
    FUZZ_CHECK(name == name.filename());
    FUZZ_CHECK(shard.ends_with(".safetensors") || shard.ends_with(".bin"));
  }
}

void CheckWrittenAgain(const ShardIndex& index) {
  const std::string text =
      nlohmann::json{{"weight_map", index.weight_map}}.dump();
  const ShardIndex again = ParseShardIndex({.text = text, .source = "again"});
  FUZZ_CHECK(again.weight_map == index.weight_map && !again.total_size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kTimes = 100;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const MemoryMeter meter;
  try {
    const ShardIndex index = ParseShardIndex({.text = text, .source = "input"});
    CheckMemory(meter, size, kTimes);
    CheckNames(index);
    CheckWrittenAgain(index);
  } catch (const Error&) {
    CheckMemory(meter, size, 2 * kTimes);
  }
  return 0;
}
