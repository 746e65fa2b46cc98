// Zip archives as NumPy and PyTorch write them, read without unpacking
// anything to disk.
//
// Strict, so that every reader sees the same files in an archive: one
// directory that fills its place exactly, names that are unique and stay where
// they are, contents that do not overlap, headers that agree with it.

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
  bool deflated = false;  // else stored as it is
  uint32_t crc = 0;
  int64_t size = 0;          // of the content
  int64_t stored_size = 0;   // of what lies in the archive
  int64_t header_begin = 0;  // where its local header starts
  int64_t data_begin = 0;    // and where what is stored starts
  int64_t end = 0;           // behind what is stored and its descriptor, if any

  bool is_folder() const { return name.ends_with('/'); }
};

// What an entry holds. The bytes belong to `owner`, or to the archive if that
// is null.
struct ZipContent {
  std::span<const std::byte> bytes;
  std::shared_ptr<const std::vector<uint8_t>> owner;
};

class ZipArchive {
 public:
  // Reads and checks the directory of the archive whose bytes are `file`, which
  // must outlive this, as must the threads that compute checksums, if there
  // are any but the caller's. `source` starts messages. Throws
  // Error(kBadInput), and Error(kUnsupported) for encryption, several disks and
  // methods other than storing and deflating.
  ZipArchive(std::span<const std::byte> file, std::string source,
             ThreadPool* pool = nullptr);

  // Of the whole archive.
  size_t file_bytes() const { return file_.size(); }

  // In the order of the directory.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  // By binary search. Null if there is none.
  const ZipEntry* Find(std::string_view name) const;

  // The content of an entry of this archive, its checksum checked; in place if
  // it is stored. Throws Error(kLimit) if it has more than `max_bytes`, or if
  // it, or all entries together, claim more than deflated data that small may
  // become (see MostInflated), before anything is inflated.
  ZipContent Read(const ZipEntry& entry, int64_t max_bytes) const;

 private:
  uint32_t Checksum(std::span<const std::byte> bytes) const;

  std::span<const std::byte> file_;
  std::string source_;
  ThreadPool* pool_;
  std::vector<ZipEntry> entries_;
  std::vector<size_t> by_name_;  // indices of entries, in order of their names
  int64_t inflated_ = 0;         // what all deflated entries claim to become
};

}  // namespace rebasin

#endif  // REBASIN_IO_ZIP_H_
