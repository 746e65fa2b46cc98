// The header of a safetensors file: whatever the bytes, it is read or refused
// with an Error; what is read keeps the promises of the reader.

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/safetensors_header.h"
#include "fuzz_check.h"
#include "rebasin/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  const auto file = std::as_bytes(std::span(data, size));
  try {
    const SafetensorsHeader header =
        ReadSafetensorsHeader(file, "input", [](const std::string&) {});
    int64_t total = header.data_offset;
    for (size_t i = 0; i < header.tensors.size(); ++i) {
      const TensorEntry& entry = header.tensors[i];
      FUZZ_CHECK(DataBytes(*entry.dtype, entry.shape) ==
                 entry.end - entry.begin);
      FUZZ_CHECK(i == 0 || header.tensors[i - 1].name < entry.name);
      total += entry.end - entry.begin;
    }
    FUZZ_CHECK(total == static_cast<int64_t>(size));
  } catch (const Error&) {
  }
  return 0;
}
