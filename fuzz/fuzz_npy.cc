// .npy arrays: whatever the bytes, they are read or refused with an Error; what
// is read fills its shape.

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/npy.h"
#include "formats/safetensors_header.h"
#include "fuzz_check.h"
#include "rebasin/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  const auto file = std::as_bytes(std::span(data, size));
  try {
    const Tensor tensor = ReadNpy(file, nullptr, "x", "input");
    FUZZ_CHECK(DataBytes(tensor.dtype, tensor.shape) ==
               static_cast<int64_t>(tensor.bytes.size()));
  } catch (const Error&) {
  }
  return 0;
}
