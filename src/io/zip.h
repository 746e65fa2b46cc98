// Reads zip archives of NumPy and PyTorch without unpacking them to disk.
//
// Strict, so that every reader sees the same files in an archive: one directory
// without gaps, unique names inside the archive, contents that do not overlap,
// and headers that agree with the directory.

#ifndef REBASIN_IO_ZIP_H_
#define REBASIN_IO_ZIP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.h"

namespace rebasin {

struct ZipEntry {
  std::string name;
  bool deflated = false;  // otherwise stored
  uint32_t crc = 0;
  int64_t size = 0;          // size of the content
  int64_t stored_size = 0;   // size in the archive
  int64_t header_begin = 0;  // start of the local header
  int64_t data_begin = 0;    // start of the stored data
  int64_t end = 0;           // end of the stored data and its descriptor

  bool is_folder() const { return name.ends_with('/'); }
};

// The content of an entry. The bytes belong to `owner`, or to the archive if
// that is null.
struct ZipContent {
  std::span<const std::byte> bytes;
  std::shared_ptr<const std::vector<uint8_t>> owner;
};

class ZipArchive {
 public:
  // Reads and checks the directory of an archive. `file` must outlive the
  // object, and so must `pool`, whose threads compute checksums if it is not
  // null. `source` is the start of messages. Throws Error(kBadInput), and
  // Error(kUnsupported) for encryption, several disks, and methods other than
  // store and deflate.
  ZipArchive(std::span<const std::byte> file, std::string source,
             ThreadPool* pool = nullptr);

  // The size of the whole archive.
  size_t file_bytes() const { return file_.size(); }

  // In the order of the directory.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  // Uses binary search. Returns nullptr if there is no such entry.
  const ZipEntry* Find(std::string_view name) const;

  // Returns the content of an entry, after checking its checksum. Stored
  // entries are not copied. Throws Error(kLimit), before inflating, if the
  // content is larger than `max_bytes`, or if one entry, or all together, claim
  // a larger size than such compressed data may have (see MostInflated).
  ZipContent Read(const ZipEntry& entry, int64_t max_bytes) const;

 private:
  uint32_t Checksum(std::span<const std::byte> bytes) const;

  std::span<const std::byte> file_;
  std::string source_;
  ThreadPool* pool_;
  std::vector<ZipEntry> entries_;
  std::vector<size_t> by_name_;  // indices of entries, sorted by name
  int64_t inflated_ = 0;         // claimed size of all deflated entries
};

}  // namespace rebasin

#endif  // REBASIN_IO_ZIP_H_
