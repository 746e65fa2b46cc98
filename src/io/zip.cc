#include "io/zip.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/checked.h"
#include "io/crc32.h"
#include "io/inflate.h"
#include "io/zip_directory.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

int64_t Inflated(std::span<const ZipEntry> entries) {
  int64_t total = 0;
  for (const ZipEntry& entry : entries) {
    if (!entry.deflated) continue;
    total = CheckedAdd(total, entry.size)
                .value_or(std::numeric_limits<int64_t>::max());
  }
  return total;
}

void CheckSize(const ZipEntry& entry, int64_t max_bytes,
               const std::string& where) {
  const auto fail = [&](const std::string& limit) {
    throw Error(
        ErrorCode::kLimit,
        where + ": it has " + std::to_string(entry.size) + " bytes; " + limit);
  };
  if (entry.size > max_bytes) {
    fail("the limit is " + std::to_string(max_bytes));
  }
  const int64_t most = MostInflated(entry.stored_size);
  if (entry.deflated && entry.size > most) {
    fail("the limit for " + std::to_string(entry.stored_size) +
         " compressed bytes is " + std::to_string(most));
  }
}

}  // namespace

ZipArchive::ZipArchive(std::span<const std::byte> file, std::string source,
                       ThreadPool* pool)
    : file_(file),
      source_(std::move(source)),
      pool_(pool),
      entries_(ReadZipDirectory(file_, source_)),
      by_name_(entries_.size()) {
  std::iota(by_name_.begin(), by_name_.end(), 0);
  std::sort(by_name_.begin(), by_name_.end(), [&](size_t a, size_t b) {
    return entries_[a].name < entries_[b].name;
  });
  inflated_ = Inflated(entries_);
}

const ZipEntry* ZipArchive::Find(std::string_view name) const {
  const auto found = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [&](size_t i, std::string_view key) { return entries_[i].name < key; });
  if (found == by_name_.end() || entries_[*found].name != name) return nullptr;
  return &entries_[*found];
}

uint32_t ZipArchive::Checksum(std::span<const std::byte> bytes) const {
  return pool_ != nullptr ? Crc32(bytes, *pool_) : Crc32(bytes);
}

ZipContent ZipArchive::Read(const ZipEntry& entry, int64_t max_bytes) const {
  const std::string where = source_ + ": entry " + Quoted(entry.name);
  CheckSize(entry, max_bytes, where);
  const int64_t most = MostInflated(static_cast<int64_t>(file_.size()));
  if (entry.deflated && inflated_ > most) {
    throw Error(ErrorCode::kLimit,
                source_ + ": its entries would become " +
                    std::to_string(inflated_) + " bytes; the limit for " +
                    std::to_string(file_.size()) + " bytes of archive is " +
                    std::to_string(most));
  }
  ZipContent content;
  content.bytes = file_.subspan(static_cast<size_t>(entry.data_begin),
                                static_cast<size_t>(entry.stored_size));
  if (entry.deflated) {
    Inflater inflater(content.bytes, Deflated::kRaw, where);
    content.owner = std::make_shared<const std::vector<uint8_t>>(
        inflater.ReadRest(entry.size));
    content.bytes = std::as_bytes(std::span(*content.owner));
  }
  if (Checksum(content.bytes) != entry.crc) {
    throw Error(ErrorCode::kBadInput,
                where + ": the checksum (CRC-32) of its content is wrong");
  }
  return content;
}

}  // namespace rebasin
