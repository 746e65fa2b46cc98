// Data sets in .npz files: any bytes are read or refused with an Error. What is
// read satisfies the reader's guarantees.

#include <cstddef>
#include <cstdint>
#include <span>

#include "data/npz.h"
#include "fuzz_check.h"
#include "rebasin/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rebasin;
  try {
    const Examples examples =
        ReadNpz(std::as_bytes(std::span(data, size)), "input");
    const size_t values = examples.bytes.size() + examples.floats.size();
    size_t one = 1;
    for (const int64_t n : examples.shape) one *= static_cast<size_t>(n);
    FUZZ_CHECK(one > 0 && values > 0 && values % one == 0);
    FUZZ_CHECK(examples.labels.empty() ||
               examples.labels.size() == values / one);
  } catch (const Error&) {
  }
  return 0;
}
