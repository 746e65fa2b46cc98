// The device and the precision with which networks run on LibTorch.
//
//   const rebasin::ComputeOptions fast{
//       .precision = rebasin::Precision::kBFloat16, .device = "cuda"};
#ifndef REBASIN_NN_COMPUTE_H_
#define REBASIN_NN_COMPUTE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
#include "rebasin/nn/data.h"

namespace rebasin {

// The floating-point type of weights and activations while a network runs.
// Stored weights keep their own types.
enum class Precision {
  kFloat32,  // the default
  kFloat64,  // for proofs by running
  // float32, except that the factors of matrix products and convolutions are
  // rounded to bfloat16. Halves the time of these where the processor has
  // bfloat16 instructions (AVX512_BF16); slower than float32 elsewhere.
  kBFloat16,
};

// Part of the options of every function that runs a network.
struct ComputeOptions {
  Precision precision = Precision::kFloat32;
  // "cpu", "cuda" or "cuda:1". A device that is not available is Error(kUsage),
  // thrown by the function that runs the network.
  std::string device = "cpu";
};

}  // namespace rebasin

#endif  // REBASIN_NN_COMPUTE_H_
