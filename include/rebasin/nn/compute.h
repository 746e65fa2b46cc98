// How networks are run: on LibTorch, with what precision, where.
#ifndef REBASIN_NN_COMPUTE_H_
#define REBASIN_NN_COMPUTE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
#include "rebasin/nn/data.h"

namespace rebasin {

enum class Precision {
  kFloat32,
  kFloat64,
  // float32, but for the factors of matrix products and convolutions, which are
  // rounded to bfloat16: half the time for these where the processor multiplies
  // such numbers (AVX512_BF16), more elsewhere.
  kBFloat16,
};

struct ComputeOptions {
  Precision precision = Precision::kFloat32;
  std::string device =
      "cpu";  // or "cuda", "cuda:1"; Error(kUsage) if not there
};

}  // namespace rebasin

#endif  // REBASIN_NN_COMPUTE_H_
