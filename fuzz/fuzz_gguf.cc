// GGUF files: any bytes are read or refused with an Error. What is read is
// valid and takes memory in proportion to the file.

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/gguf.h"
#include "fuzz_check.h"
#include "memory.h"
#include "rebasin/error.h"
#include "tensors.h"

namespace {

using namespace rebasin;

// Mostly descriptions of tensors of a few bytes.
constexpr size_t kTimes = 64;

void Read(std::span<const std::byte> file, bool skip_unsupported) {
  const MemoryMeter meter;
  try {
    const GgufContent content =
        ReadGguf(file, nullptr, {.skip_unsupported = skip_unsupported},
                 {.threads = 1}, "input");
    CheckMemory(meter, file.size(), kTimes);
    CheckTensors(content.tensors);
    for (const auto& [key, value] : content.metadata) FUZZ_CHECK(!key.empty());
  } catch (const Error&) {
    CheckMemory(meter, file.size(), kTimes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  for (const bool skip : {false, true}) Read(file, skip);
  return 0;
}
