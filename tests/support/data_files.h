// Data files for tests: IDX arrays, CIFAR records, .npz archives.

#ifndef REBASIN_TESTS_SUPPORT_DATA_FILES_H_
#define REBASIN_TESTS_SUPPORT_DATA_FILES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/zip_files.h"

namespace rebasin {

// Values 0, 1, 2, ... modulo 256.
inline std::string CountingBytes(int64_t size) {
  std::string bytes;
  for (int64_t i = 0; i < size; ++i) bytes += static_cast<char>(i);
  return bytes;
}

inline std::string IdxImages(int64_t count, int64_t rows, int64_t columns) {
  return Big(0x803, 4) + Big(static_cast<uint64_t>(count), 4) +
         Big(static_cast<uint64_t>(rows), 4) +
         Big(static_cast<uint64_t>(columns), 4) +
         CountingBytes(count * rows * columns);
}

inline std::string IdxLabels(const std::vector<uint8_t>& labels) {
  return Big(0x801, 4) + Big(labels.size(), 4) +
         std::string(labels.begin(), labels.end());
}

// Each record: these label bytes, then 3072 pixels of one value.
inline std::string CifarRecord(const std::string& labels, uint8_t pixel) {
  return labels + std::string(3072, static_cast<char>(pixel));
}

// An archive of the .npy files x and, unless it is empty, y.
inline std::string NpzFile(const std::string& x, const std::string& y) {
  std::vector<ZipPart> parts = {{.name = "x.npy", .content = x}};
  if (!y.empty()) parts.push_back({.name = "y.npy", .content = y});
  return MakeZip(parts);
}

inline std::span<const std::byte> AsBytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_DATA_FILES_H_
