// Files of torch.save, archives and older ones, and .npz files as models:
// whatever the bytes, they are read or refused with an Error; tensors that are
// read have the bytes that their shapes take.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/npz.h"
#include "formats/safetensors_header.h"
#include "formats/sniff.h"
#include "formats/torch.h"
#include "fuzz_check.h"
#include "rebasin/error.h"

namespace {

using namespace rebasin;

std::vector<Tensor> Read(std::span<const std::byte> file) {
  if (SniffFormat(file) == ModelFormat::kPickle) {
    return ReadLegacyTorch(file, nullptr, {}, "input");
  }
  const ZipArchive archive(file, "input");
  return IsTorchArchive(archive)
             ? ReadTorchArchive(archive, nullptr, {}, "input")
             : ReadNpzTensors(archive, nullptr, {}, "input");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    for (const Tensor& tensor : Read(std::as_bytes(std::span(data, size)))) {
      const auto bytes = DataBytes(tensor.dtype, tensor.shape);
      FUZZ_CHECK(bytes == static_cast<int64_t>(tensor.bytes.size()));
    }
  } catch (const Error&) {
  }
  return 0;
}
