// Zip archives and the data sets in them: whatever the bytes, they are read or
// refused with an Error; what is read keeps the promises of the readers.

#include <cstddef>
#include <cstdint>
#include <span>

#include "data/npz.h"
#include "fuzz_check.h"
#include "io/zip.h"
#include "rebasin/error.h"

namespace {

using namespace rebasin;

void ReadEntries(std::span<const std::byte> file) {
  constexpr int64_t kLimit = 1 << 20;
  const ZipArchive archive(file, "input");
  for (const ZipEntry& entry : archive.entries()) {
    FUZZ_CHECK(archive.Find(entry.name) == &entry);
    try {
      const ZipContent content = archive.Read(entry, kLimit);
      FUZZ_CHECK(static_cast<int64_t>(content.bytes.size()) == entry.size);
    } catch (const Error&) {
    }
  }
}

void ReadData(std::span<const std::byte> file) {
  const Examples examples = ReadNpz(file, "input");
  const size_t values = examples.bytes.size() + examples.floats.size();
  size_t size = 1;
  for (const int64_t n : examples.shape) size *= static_cast<size_t>(n);
  FUZZ_CHECK(size > 0 && values > 0 && values % size == 0);
  FUZZ_CHECK(examples.labels.empty() ||
             examples.labels.size() == values / size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  try {
    ReadEntries(file);
    ReadData(file);
  } catch (const Error&) {
  }
  return 0;
}
