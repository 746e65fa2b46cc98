// Zip archives of entries that are stored as they are, as NumPy and PyTorch
// read them. Sizes of 64 bits where 32 are too few.

#ifndef REBASIN_IO_ZIP_WRITER_H_
#define REBASIN_IO_ZIP_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/atomic_file.h"

namespace rebasin {

class ZipWriter {
 public:
  // Writes into `file`, which must be empty, and outlive this.
  explicit ZipWriter(AtomicFile& file) : file_(file) {}

  // An entry of two parts, one after the other. The first begins at a multiple
  // of 64 bytes, so that readers can use it in place.
  void Add(const std::string& name, std::span<const std::byte> head,
           std::span<const std::byte> rest = {});
  void Add(const std::string& name, const std::string& text) {
    Add(name, std::as_bytes(std::span(text)));
  }

  // The directory. Nothing may be added afterwards.
  void Finish();

 private:
  struct Entry {
    std::string name;
    uint32_t crc = 0;
    uint64_t size = 0;
    uint64_t offset = 0;
  };

  AtomicFile& file_;
  std::vector<Entry> entries_;
};

}  // namespace rebasin

#endif  // REBASIN_IO_ZIP_WRITER_H_
