// Activation matching: finds the alignment of model B under which its units do
// on data what model A's units do (Git Re-Basin, section 3.1).
//
// Both networks run over the data once. Wherever a value carries a group into
// the next layer, after the nonlinearity, the units of A are compared with
// those of B; every example, and every position of an image, is a sample. A
// group that is carried by several values, as a residual stream, is matched by
// all of them together. Unlike in weight matching no group needs to know about
// another, so the best alignment is found exactly.

#ifndef REBASIN_NN_MATCH_ACTIVATIONS_H_
#define REBASIN_NN_MATCH_ACTIVATIONS_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"
#include "rebasin/match.h"
#include "rebasin/nn/compute.h"
#include "rebasin/nn/data.h"

namespace rebasin {

struct MatchActivationsOptions {
  ActivationCost cost = ActivationCost::kCorrelation;
  // What the weights say counts too, with this share, from 0 to below 1. The
  // costs then depend on each other, and are searched as `match` says.
  double weight_share = 0;
  MatchOptions match = {};
  ComputeOptions compute = {};
  Normalization normalization = {};
  int64_t batch_size = 0;  // 0: one whose activations fit the cache
};

// The symmetry is the one that the graph has (Discover). No labels are needed.
// Groups that no value carries, if there are such, are matched by weights, the
// others given. Memory: one matrix of doubles a group, and for each thread one
// of floats and a batch's activations. The same result for any number of
// threads.
//
// Throws Error(kMismatch) if the models differ in structure or the data does
// not fit the graph or is empty, Error(kBadInput) if activations are not
// finite, Error(kUnsupported) if the graph cannot be run.
MatchResult MatchActivations(const std::shared_ptr<const Graph>& graph,
                             const Checkpoint& a, const Checkpoint& b,
                             const Dataset& data,
                             const MatchActivationsOptions& options = {},
                             const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_MATCH_ACTIVATIONS_H_
