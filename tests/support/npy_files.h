// .npy files, made of the text of their header.

#ifndef REBASIN_TESTS_SUPPORT_NPY_FILES_H_
#define REBASIN_TESTS_SUPPORT_NPY_FILES_H_

#include <string>

#include "support/zip_files.h"

namespace rebasin {

// "{'descr': '<f4', ...}" for a type and a shape such as "(3, 4)".
inline std::string NpyDictionary(const std::string& type,
                                 const std::string& shape,
                                 bool fortran_order = false) {
  return "{'descr': '" + type +
         "', 'fortran_order': " + (fortran_order ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

inline std::string NpyFile(const std::string& dictionary,
                           const std::string& data, int version = 1) {
  std::string header = dictionary;
  header.append(63 - (header.size() + 10) % 64, ' ');
  header += '\n';
  return "\x93NUMPY" + Little(version, 1) + Little(0, 1) +
         Little(header.size(), version == 1 ? 2 : 4) + header + data;
}

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_NPY_FILES_H_
