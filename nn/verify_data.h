// Proof by running on real examples.

#ifndef REBASIN_NN_VERIFY_DATA_H_
#define REBASIN_NN_VERIFY_DATA_H_

#include <memory>

#include "rebasin/alignment.h"
#include "rebasin/discovery.h"
#include "rebasin/nn/data.h"

namespace rebasin::nn {

// Like Verify, but on all examples of `data`, in double, on LibTorch.
VerifyReport VerifyOnData(const std::shared_ptr<const Graph>& graph,
                          const Checkpoint& model, const Alignment& alignment,
                          const Dataset& data,
                          const Normalization& normalization, const Run& run,
                          double tolerance = VerifyOptions().tolerance);

}  // namespace rebasin::nn

#endif  // REBASIN_NN_VERIFY_DATA_H_
