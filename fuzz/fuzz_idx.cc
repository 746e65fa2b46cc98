// IDX files, plain and gzip: any bytes are read or refused with an Error. What
// is read fills its shape, and is the same after writing it plainly and reading
// it back.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/idx.h"
#include "fuzz_check.h"
#include "rebasin/error.h"

namespace {

using namespace rebasin;

std::vector<uint8_t> Written(const IdxArray& array) {
  std::vector<uint8_t> file = {0, 0, 8,
                               static_cast<uint8_t>(array.shape.size())};
  for (const int64_t size : array.shape) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      file.push_back(static_cast<uint8_t>(size >> shift));
    }
  }
  file.insert(file.end(), array.values.begin(), array.values.end());
  return file;
}

void Check(std::span<const std::byte> file, IdxContent content) {
  const IdxArray array = ReadIdx(file, content, "input");
  FUZZ_CHECK(array.shape.size() == static_cast<size_t>(content));
  size_t values = 1;
  for (const int64_t n : array.shape) values *= static_cast<size_t>(n);
  FUZZ_CHECK(array.values.size() == values && values > 0);
  const std::vector<uint8_t> written = Written(array);
  const IdxArray again =
      ReadIdx(std::as_bytes(std::span(written)), content, "again");
  FUZZ_CHECK(again.shape == array.shape && again.values == array.values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const IdxContent content : {IdxContent::kImages, IdxContent::kLabels}) {
    try {
      Check(std::as_bytes(std::span(data, size)), content);
    } catch (const Error&) {
    }
  }
  return 0;
}
