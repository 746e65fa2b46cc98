// A laboratory in a temporary folder, with the small digits for MNIST.

#ifndef REBASIN_TESTS_LAB_LABORATORY_H_
#define REBASIN_TESTS_LAB_LABORATORY_H_

#include "lab/lab.h"
#include "support/temp_dir.h"

namespace rebasin::lab {

inline LabOptions SmallLab(const TempDir& folder,
                           const std::string& report = "report") {
  LabOptions options;
  options.folder = folder / report;
  options.cache = folder / "cache";
  options.mnist = REBASIN_DIGITS;
  options.run.threads = 2;
  return options;
}

}  // namespace rebasin::lab

#endif  // REBASIN_TESTS_LAB_LABORATORY_H_
