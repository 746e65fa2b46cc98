// Zip archives of entries that are stored as they are, as NumPy and PyTorch
// read them. Sizes of 64 bits where 32 are too few.

#ifndef REBASIN_IO_ZIP_WRITER_H_
#define REBASIN_IO_ZIP_WRITER_H_

#include <cstddef>
#include <span>
#include <string>

#include "io/atomic_file.h"

namespace rebasin {

// An entry to be written: its content is `head` and `rest`, one after the
// other. It will begin at a multiple of 64 bytes, so that readers can use it in
// place.
struct NewZipEntry {
  std::string name;
  std::string head = {};
  std::span<const std::byte> rest = {};
};

// Writes an archive of these entries into `file`, which must be empty; space is
// reserved first. While one is written, the checksum of the next is computed in
// a second thread. Throws Error(kLimit) for names that an archive cannot hold,
// and what AtomicFile throws.
void WriteZip(std::span<const NewZipEntry> entries, AtomicFile& file);

}  // namespace rebasin

#endif  // REBASIN_IO_ZIP_WRITER_H_
