// CIFAR files: any bytes are read or refused with an Error. The records are
// those of the file.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "data/cifar.h"
#include "fuzz_check.h"
#include "rebasin/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  const auto file = std::as_bytes(std::span(data, size));
  try {
    const Cifar cifar = RecogniseCifar(file, "input");
    Examples images;
    AppendCifar(file, cifar, "input", images);
    const size_t records = images.labels.size();
    const size_t pixels = static_cast<size_t>(kCifarPixels);
    FUZZ_CHECK(records > 0 && images.bytes.size() == records * pixels);
    const size_t record = size / records;
    for (size_t i = 0; i < records; ++i) {
      FUZZ_CHECK(images.labels[i] < CifarClasses(cifar));
      FUZZ_CHECK(std::equal(
          data + (i + 1) * record - pixels, data + (i + 1) * record,
          images.bytes.begin() + static_cast<ptrdiff_t>(i * pixels)));
    }
  } catch (const Error&) {
  }
  return 0;
}
