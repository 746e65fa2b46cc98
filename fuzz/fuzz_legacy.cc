// Files of torch.save before PyTorch 1.6: any bytes are read or refused with an
// Error. Tensors that are read are valid.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/torch.h"
#include "memory.h"
#include "mutate_pickle.h"
#include "mutator.h"
#include "rebasin/error.h"
#include "tensors.h"

REBASIN_CUSTOM_MUTATOR(rebasin::MutatePickle)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  constexpr size_t kTimes = 250;  // pickles, and the tensors made of them
  const MemoryMeter meter;
  const auto file = std::as_bytes(std::span(data, size));
  try {
    const std::vector<Tensor> tensors =
        ReadLegacyTorch(file, nullptr, {}, "input");
    CheckMemory(meter, size, kTimes);
    CheckTensors(tensors);
  } catch (const Error&) {
    CheckMemory(meter, size, kTimes);
  }
  return 0;
}
