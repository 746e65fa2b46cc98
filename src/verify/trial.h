// Runs a graph with several sets of weights on the same random inputs.

#ifndef REBASIN_VERIFY_TRIAL_H_
#define REBASIN_VERIFY_TRIAL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/inference.h"
#include "graph/interpreter.h"
#include "rebasin/checkpoint.h"
#include "rebasin/discovery.h"
#include "rebasin/graph.h"

namespace rebasin {

// Reads weights from a checkpoint, which must outlive the function.
WeightSource WeightsOf(const Checkpoint& model);

class Trial {
 public:
  // Keeps a reference to the graph. Makes random inputs of these shapes.
  // `choice` overrides the values of conditions.
  Trial(const Graph& graph, const std::vector<Shape>& shapes, uint64_t seed,
        BranchChoice choice = {});
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  std::vector<Array> Run(const WeightSource& weights) const;
  // The differences of each output.
  std::vector<OutputDifference> Compare(const std::vector<Array>& before,
                                        const std::vector<Array>& after) const;

 private:
  std::optional<Graph> coarse_;  // see coarse_scores.h
  const Graph& graph_;
  Inference inference_;
  std::vector<Array> inputs_;
  BranchChoice choice_;
};

bool AllFinite(const std::vector<Array>& outputs);

// The largest relative difference of all outputs. NaN if one of the differences
// is.
double LargestRelative(const std::vector<OutputDifference>& outputs);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_TRIAL_H_
