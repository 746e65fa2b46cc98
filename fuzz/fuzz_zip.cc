// Zip archives: any bytes are read or refused with an Error. Entries that are
// read have unique names, do not overlap, and have the claimed contents.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fuzz_check.h"
#include "io/inflate.h"
#include "io/zip.h"
#include "memory.h"
#include "rebasin/error.h"

namespace {

using namespace rebasin;

constexpr int64_t kLimit = 1 << 20;

void CheckPlaces(const ZipArchive& archive) {
  std::vector<ZipEntry> entries = archive.entries();
  std::sort(entries.begin(), entries.end(),
            [](const ZipEntry& a, const ZipEntry& b) {
              return a.header_begin < b.header_begin;
            });
  int64_t end = 0;
  for (const ZipEntry& entry : entries) {
    FUZZ_CHECK(entry.header_begin >= end && entry.stored_size >= 0);
    FUZZ_CHECK(entry.data_begin > entry.header_begin);
    FUZZ_CHECK(entry.deflated || entry.size == entry.stored_size);
    end = entry.data_begin + entry.stored_size;
  }
  FUZZ_CHECK(end <= static_cast<int64_t>(archive.file_bytes()));
}

void CheckContent(const ZipArchive& archive, const ZipEntry& entry) {
  FUZZ_CHECK(archive.Find(entry.name) == &entry);
  try {
    const ZipContent content = archive.Read(entry, kLimit);
    FUZZ_CHECK(static_cast<int64_t>(content.bytes.size()) == entry.size);
    FUZZ_CHECK(entry.size <= kLimit);
    FUZZ_CHECK(entry.deflated || content.owner == nullptr);
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A directory entry of 46 bytes takes about 100, in two tables.
  constexpr size_t kTimes = 16;
  try {
    const MemoryMeter meter;
    const ZipArchive archive(std::as_bytes(std::span(data, size)), "input");
    CheckMemory(meter, size, kTimes);
    CheckPlaces(archive);
    for (const ZipEntry& entry : archive.entries()) {
      CheckContent(archive, entry);
    }
  } catch (const Error&) {
  }
  return 0;
}
