// One entry of a zip archive's directory, checked against its local header.

#ifndef REBASIN_IO_ZIP_ENTRY_H_
#define REBASIN_IO_ZIP_ENTRY_H_

#include <cstddef>
#include <span>
#include <string>

#include "io/zip.h"
#include "io/zip_directory.h"

namespace rebasin {

// Reads the entry at byte `at`, which is before place.end. `next` becomes the
// start of the next entry. Throws like ZipArchive.
ZipEntry ReadZipEntry(std::span<const std::byte> file,
                      const ZipDirectoryPlace& place, size_t at,
                      const std::string& source, size_t* next);

}  // namespace rebasin

#endif  // REBASIN_IO_ZIP_ENTRY_H_
