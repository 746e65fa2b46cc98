// Finds, reads and checks the directory of a zip archive.

#ifndef REBASIN_IO_ZIP_DIRECTORY_H_
#define REBASIN_IO_ZIP_DIRECTORY_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "io/zip.h"

namespace rebasin {

// The position of the directory in the file, and the claimed number of entries.
struct ZipDirectoryPlace {
  size_t begin = 0;
  size_t end = 0;
  uint64_t entries = 0;
};

// Reads the records at the end of the file, including those of zip64.
ZipDirectoryPlace FindZipDirectory(std::span<const std::byte> file,
                                   const std::string& source);

// Returns all entries, each checked against its local header and the others.
std::vector<ZipEntry> ReadZipDirectory(std::span<const std::byte> file,
                                       const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_IO_ZIP_DIRECTORY_H_
