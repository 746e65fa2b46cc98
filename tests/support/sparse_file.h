// Large files that take no space.

#ifndef REBASIN_TESTS_SUPPORT_SPARSE_FILE_H_
#define REBASIN_TESTS_SUPPORT_SPARSE_FILE_H_

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "support/temp_dir.h"

namespace rebasin {

// A beginning, and zeros up to the size.
inline std::filesystem::path WriteSparse(const TempDir& folder,
                                         const std::string& name,
                                         std::string_view start,
                                         uintmax_t size) {
  const std::filesystem::path path = folder.Write(name, start);
  std::filesystem::resize_file(path, size);
  return path;
}

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_SPARSE_FILE_H_
