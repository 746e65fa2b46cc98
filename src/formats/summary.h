// Statistics that distinguish versions of a tensor, for one line each.

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
  // Over the finite elements; only for arithmetic types, and zero if there are
  // none.
  double mean = 0, deviation = 0, least = 0, most = 0;
  int64_t nonfinite = 0;
};

// Returns summaries in order of name. Reads the whole model once or twice. The
// result is the same for any number of threads.
std::vector<TensorSummary> Summarize(const Checkpoint& model, int threads = 0);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_SUMMARY_H_
