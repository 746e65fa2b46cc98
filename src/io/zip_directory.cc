#include "io/zip_directory.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "io/zip_entry.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

[[noreturn]] void Fail(const std::string& source, const std::string& what) {
  throw Error(ErrorCode::kBadInput, source + ": " + what);
}

void CheckNames(std::span<const ZipEntry> entries, const std::string& source) {
  std::unordered_set<std::string_view> names;
  for (const ZipEntry& entry : entries) {
    if (names.insert(entry.name).second) continue;
    Fail(source, "the archive has two entries named " + Quoted(entry.name));
  }
}

// Entries with their headers must not overlap; the first one is at the start.
// Gaps are allowed.
void CheckOverlaps(std::span<const ZipEntry> entries,
                   const std::string& source) {
  std::vector<const ZipEntry*> order;
  for (const ZipEntry& entry : entries) order.push_back(&entry);
  std::sort(order.begin(), order.end(),
            [](const ZipEntry* a, const ZipEntry* b) {
              return a->header_begin < b->header_begin;
            });
  if (!order.empty() && order[0]->header_begin != 0) {
    Fail(source, std::to_string(order[0]->header_begin) +
                     " bytes precede the first entry of the archive");
  }
  for (size_t i = 1; i < order.size(); ++i) {
    const ZipEntry& before = *order[i - 1];
    if (before.end <= order[i]->header_begin) continue;
    Fail(source, "the entries " + Quoted(before.name) + " and " +
                     Quoted(order[i]->name) + " overlap");
  }
}

}  // namespace

std::vector<ZipEntry> ReadZipDirectory(std::span<const std::byte> file,
                                       const std::string& source) {
  const ZipDirectoryPlace place = FindZipDirectory(file, source);
  std::vector<ZipEntry> entries;
  for (size_t at = place.begin; at < place.end;) {
    entries.push_back(ReadZipEntry(file, place, at, source, &at));
  }
  if (entries.size() != place.entries) {
    Fail(source, "the zip directory claims " + std::to_string(place.entries) +
                     " entries and has " + std::to_string(entries.size()));
  }
  CheckNames(entries, source);
  CheckOverlaps(entries, source);
  return entries;
}

}  // namespace rebasin
