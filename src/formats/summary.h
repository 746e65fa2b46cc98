// What tells one version of a tensor from another, in a line.

#ifndef REBASIN_FORMATS_SUMMARY_H_
#define REBASIN_FORMATS_SUMMARY_H_

#include <string>
#include <vector>

#include "rebasin/checkpoint.h"

namespace rebasin {

struct TensorSummary {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  std::string sha256;  // of the bytes
  // Of the elements that are finite; only of types that are computed with, and
  // all zero if there are none.
  double mean = 0, deviation = 0, least = 0, most = 0;
  int64_t nonfinite = 0;
};

// In the order of names, whatever the order in the file. Reads the whole model,
// once or twice; the same numbers for any number of threads.
std::vector<TensorSummary> Summarize(const Checkpoint& model, int threads = 0);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_SUMMARY_H_
