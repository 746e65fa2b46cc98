// Finds the directory of a zip archive from the records at the file's end:
//
//   directory | zip64 record | zip64 locator | end record | comment
//
// where the two zip64 parts are optional.

#include <algorithm>
#include <optional>

#include "io/bytes.h"
#include "io/zip_directory.h"
#include "rebasin/error.h"

namespace rebasin {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kLocatorSignature = 0x07064b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr size_t kEndBytes = 22;
constexpr size_t kLocatorBytes = 20;
constexpr size_t kEnd64Bytes = 56;
constexpr size_t kMaxComment = 0xFFFF;

[[noreturn]] void Fail(const std::string& source, const std::string& what,
                       ErrorCode code = ErrorCode::kBadInput) {
  throw Error(code, source + ": " + what);
}

bool HasSignature(Bytes file, size_t at, uint32_t signature) {
  return at <= file.size() && file.size() - at >= sizeof signature &&
         LoadLittle<uint32_t>(file, at) == signature;
}

// True if an end record may be here: its comment must fill the rest.
bool IsEndRecord(Bytes file, size_t at) {
  return HasSignature(file, at, kEndSignature) &&
         LoadLittle<uint16_t>(file, at + 20) == file.size() - at - kEndBytes;
}

// Finds the only possible end record. With two of them, readers that search
// from different ends would see different archives.
size_t FindEndRecord(Bytes file, const std::string& source) {
  std::optional<size_t> found;
  if (file.size() >= kEndBytes) {
    const size_t last = file.size() - kEndBytes;
    const size_t first = last - std::min(last, kMaxComment);
    for (size_t at = first; at <= last; ++at) {
      if (!IsEndRecord(file, at)) continue;
      if (found) Fail(source, "the zip archive has two end records");
      found = at;
    }
  }
  if (found) return *found;
  Fail(source, HasSignature(file, 0, kLocalSignature)
                   ? "truncated archive: there is no directory at its end"
                   : "not a zip archive");
}

// Disk numbers, counts, size and offset, as 64 bits.
struct EndRecord {
  uint64_t disk, directory_disk, entries_here, entries, size, offset;
};

EndRecord ReadEnd(Bytes file, size_t at) {
  return {.disk = LoadLittle<uint16_t>(file, at + 4),
          .directory_disk = LoadLittle<uint16_t>(file, at + 6),
          .entries_here = LoadLittle<uint16_t>(file, at + 8),
          .entries = LoadLittle<uint16_t>(file, at + 10),
          .size = LoadLittle<uint32_t>(file, at + 12),
          .offset = LoadLittle<uint32_t>(file, at + 16)};
}

EndRecord ReadEnd64(Bytes file, size_t at) {
  return {.disk = LoadLittle<uint32_t>(file, at + 16),
          .directory_disk = LoadLittle<uint32_t>(file, at + 20),
          .entries_here = LoadLittle<uint64_t>(file, at + 24),
          .entries = LoadLittle<uint64_t>(file, at + 32),
          .size = LoadLittle<uint64_t>(file, at + 40),
          .offset = LoadLittle<uint64_t>(file, at + 48)};
}

// The start of the zip64 record before `end`; nothing if there is none.
std::optional<size_t> FindEnd64(Bytes file, size_t end,
                                const std::string& source) {
  if (end < kLocatorBytes) return std::nullopt;
  const size_t locator = end - kLocatorBytes;
  if (!HasSignature(file, locator, kLocatorSignature)) return std::nullopt;
  // Later versions of the record, with more fields, are not in use.
  if (locator < kEnd64Bytes ||
      LoadLittle<uint64_t>(file, locator + 8) != locator - kEnd64Bytes ||
      !HasSignature(file, locator - kEnd64Bytes, kEnd64Signature) ||
      LoadLittle<uint64_t>(file, locator - kEnd64Bytes + 4) !=
          kEnd64Bytes - 12) {
    Fail(source, "the zip64 records at the archive's end do not fit together");
  }
  return locator - kEnd64Bytes;
}

// A narrow field has the wide value, or its maximum as a reference to it.
bool Agrees(uint64_t narrow, uint64_t wide, uint64_t most) {
  return narrow == wide || narrow == most;
}

void CheckAgreement(const EndRecord& narrow, const EndRecord& wide,
                    const std::string& source) {
  if (Agrees(narrow.entries, wide.entries, 0xFFFF) &&
      Agrees(narrow.entries_here, wide.entries_here, 0xFFFF) &&
      Agrees(narrow.size, wide.size, 0xFFFFFFFF) &&
      Agrees(narrow.offset, wide.offset, 0xFFFFFFFF)) {
    return;
  }
  Fail(source, "the two end records of the zip archive disagree");
}

}  // namespace

ZipDirectoryPlace FindZipDirectory(Bytes file, const std::string& source) {
  const size_t end = FindEndRecord(file, source);
  EndRecord record = ReadEnd(file, end);
  size_t directory_end = end;
  if (const auto end64 = FindEnd64(file, end, source)) {
    const EndRecord wide = ReadEnd64(file, *end64);
    CheckAgreement(record, wide, source);
    record = wide;
    directory_end = *end64;
  }
  if (record.disk != 0 || record.directory_disk != 0 ||
      record.entries_here != record.entries) {
    Fail(source, "zip archives of several disks are not supported",
         ErrorCode::kUnsupported);
  }
  if (record.offset > directory_end ||
      directory_end - record.offset != record.size) {
    Fail(source, "the zip directory should have " +
                     std::to_string(record.size) + " bytes from byte " +
                     std::to_string(record.offset) + ", but ends at byte " +
                     std::to_string(directory_end));
  }
  return {.begin = static_cast<size_t>(record.offset),
          .end = directory_end,
          .entries = record.entries};
}

}  // namespace rebasin
