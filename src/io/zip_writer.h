// Writes zip archives of stored entries, as NumPy and PyTorch read them, with
// 64-bit sizes where 32 bits are not enough.

#ifndef REBASIN_IO_ZIP_WRITER_H_
#define REBASIN_IO_ZIP_WRITER_H_

#include <cstddef>
#include <span>
#include <string>

#include "io/atomic_file.h"

namespace rebasin {

// An entry to write, with the content `head` + `rest`. It starts at a multiple
// of 64 bytes, so that readers can use it in place.
struct NewZipEntry {
  std::string name;
  std::string head = {};
  std::span<const std::byte> rest = {};
};

// Writes an archive of these entries to `file`, which must be empty. Space is
// reserved first. A second thread computes the checksum of the next entry while
// one is written. Throws Error(kLimit) for names that an archive cannot store,
// and what AtomicFile throws.
void WriteZip(std::span<const NewZipEntry> entries, AtomicFile& file);

}  // namespace rebasin

#endif  // REBASIN_IO_ZIP_WRITER_H_
