// .npy arrays: any bytes are read or refused with an Error. What is read is
// valid and takes at most the memory of a copy.

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/npy.h"
#include "memory.h"
#include "rebasin/error.h"
#include "tensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  constexpr size_t kTimes = 4;
  const auto file = std::as_bytes(std::span(data, size));
  const MemoryMeter meter;
  try {
    const Tensor tensor = ReadNpy(file, nullptr, "x", "input");
    CheckMemory(meter, size, kTimes);
    CheckTensors({tensor});
  } catch (const Error&) {
    CheckMemory(meter, size, kTimes);
  }
  return 0;
}
