// The directory of a zip archive: where it is, what it says, and whether it can
// be true.

#ifndef REBASIN_IO_ZIP_DIRECTORY_H_
#define REBASIN_IO_ZIP_DIRECTORY_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "io/zip.h"

namespace rebasin {

// Where the directory lies in the file and how many entries it claims.
struct ZipDirectoryPlace {
  size_t begin = 0;
  size_t end = 0;
  uint64_t entries = 0;
};

// From the records at the end of the file, those of zip64 included.
ZipDirectoryPlace FindZipDirectory(std::span<const std::byte> file,
                                   const std::string& source);

// All entries, each checked against its local header and against the others.
std::vector<ZipEntry> ReadZipDirectory(std::span<const std::byte> file,
                                       const std::string& source);

}  // namespace rebasin

#endif  // REBASIN_IO_ZIP_DIRECTORY_H_
