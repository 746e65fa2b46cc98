// Proof by running: a permuted model must compute what the model computes.
//
// The graph is run twice on the same small random inputs, in double, by the
// plain reference interpreter: with the weights as they are, and permuted. The
// outputs may differ by rounding only, some 1e-12 of their size; a wrong
// permutation shows as a difference of order one.

#ifndef REBASIN_VERIFY_H_
#define REBASIN_VERIFY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

namespace rebasin {

struct VerifyOptions {
  uint64_t seed = 0;  // of the inputs
  // Largest difference that passes, relative to the output's largest absolute
  // value.
  double tolerance = 1e-7;
  int threads = 0;
};

struct OutputDifference {
  std::string name;
  Shape shape;
  double largest = 0;     // absolute value in the output
  double difference = 0;  // largest absolute difference
};

struct VerifyReport {
  std::vector<Shape> input_shapes;
  std::vector<OutputDifference> outputs;
  // All differences within tolerance, and all outputs finite.
  bool same = false;
};

// Compares the model with itself permuted. Throws Error(kMismatch) if the
// weights do not fit the graph or the alignment, Error(kUnsupported) if the
// graph has an operator that cannot be run here, Error(kBadInput) if the
// model's own outputs are not finite, so that nothing can be said.
VerifyReport Verify(const Graph& graph, const Checkpoint& model,
                    const Alignment& alignment,
                    const VerifyOptions& options = {});

// Throws Error(kMismatch) unless every weight of the graph is in the model,
// with the same shape.
void CheckFits(const Graph& graph, const Checkpoint& model);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_H_
