// Archives of torch.save, and .npz files as models: any bytes are read or
// refused with an Error. Tensors that are read are valid.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/npz.h"
#include "formats/torch.h"
#include "fuzz_check.h"
#include "memory.h"
#include "rebasin/error.h"
#include "tensors.h"

namespace {

using namespace rebasin;

std::vector<Tensor> Read(std::span<const std::byte> file) {
  const ZipArchive archive(file, "input");
  return IsTorchArchive(archive)
             ? ReadTorchArchive(archive, nullptr, {}, "input")
             : ReadNpzTensors(archive, nullptr, {}, "input");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Deflated data may expand a thousandfold if the archive is small.
  constexpr size_t kTimes = 2000;
  const MemoryMeter meter;
  try {
    const auto tensors = Read(std::as_bytes(std::span(data, size)));
    CheckMemory(meter, size, kTimes);
    CheckTensors(tensors);
  } catch (const Error&) {
    CheckMemory(meter, size, kTimes);
  }
  return 0;
}
