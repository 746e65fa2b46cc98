// Activation matching (Git Re-Basin, section 3.1): finds the alignment of model
// B under which its units respond to data as model A's units do.
//
//   const rebasin::MatchResult found = rebasin::MatchActivations(
//       graph, a, b, data.Calibration(10000),
//       {.normalization = data.normalization});
//
// Both networks run over the data once. The units of A and B are compared where
// their activations enter the next layer, after the nonlinearity. Every example
// counts as a sample, and so does every position of an image. If several values
// carry a group, as in a residual stream, their statistics are added. In
// contrast to weight matching, no group depends on another, so the optimum is
// found exactly.

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

// Options of MatchActivations.
struct MatchActivationsOptions {
  // How the activations of two units are compared.
  ActivationCost cost = ActivationCost::kCorrelation;
  // The share of weights in the comparison, from 0 to below 1. Above 0 the
  // groups depend on each other, and the search of `match` is used.
  double weight_share = 0;
  MatchOptions match = {};
  ComputeOptions compute = {};
  // Must be the normalization that the models were trained with.
  Normalization normalization = {};
  int64_t batch_size = 0;  // 0: chosen so that activations fit the cache
};

// Matches B to A modulo the symmetry that Discover finds in `graph`. Needs no
// labels. Groups that no value carries are matched by weights, given the
// others.
//
// Memory: one matrix of doubles for each group, and for each thread one matrix
// of floats and the activations of a batch. The result is the same for any
// number of threads. Throws Error(kMismatch) if the models differ in structure,
// or the data does not fit the graph or is empty; Error(kBadInput) if
// activations are not finite; Error(kUnsupported) if the graph cannot be run.
MatchResult MatchActivations(const std::shared_ptr<const Graph>& graph,
                             const Checkpoint& a, const Checkpoint& b,
                             const Dataset& data,
                             const MatchActivationsOptions& options = {},
                             const Run& run = {});

}  // namespace rebasin

#endif  // REBASIN_NN_MATCH_ACTIVATIONS_H_
