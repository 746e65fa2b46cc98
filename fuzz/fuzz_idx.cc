// IDX files, plain and in gzip form: whatever the bytes, they are read or
// refused with an Error; what is read fills its shape.

#include <cstddef>
#include <cstdint>
#include <span>

#include "data/idx.h"
#include "fuzz_check.h"
#include "rebasin/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  const auto file = std::as_bytes(std::span(data, size));
  for (const IdxContent content : {IdxContent::kImages, IdxContent::kLabels}) {
    try {
      const IdxArray array = ReadIdx(file, content, "input");
      FUZZ_CHECK(array.shape.size() == static_cast<size_t>(content));
      size_t values = 1;
      for (const int64_t n : array.shape) values *= static_cast<size_t>(n);
      FUZZ_CHECK(array.values.size() == values && values > 0);
    } catch (const Error&) {
    }
  }
  return 0;
}
