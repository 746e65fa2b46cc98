// Weights without any accidents, for a proof that must not depend on them.
//
// Whether permuting is a symmetry is a property of the graph, but a run shows
// it only where numbers flow: a gain that is zero, or units that never fire,
// hide what lies behind them. Random weights of the right size hide nothing.

#ifndef REBASIN_VERIFY_GENERIC_WEIGHTS_H_
#define REBASIN_VERIFY_GENERIC_WEIGHTS_H_

#include <cstdint>
#include <set>
#include <string>

#include "rebasin/checkpoint.h"
#include "rebasin/graph.h"

namespace rebasin {

enum class Signs {
  kMixed,        // except for weights that are positive in the model
  kCalm,         // for deep graphs: few units are dead, or at an upper bound
  kAllPositive,  // for graphs with roots and logarithms of weights
};

// One random tensor for each weight of the graph, scaled by how many products
// are summed up where it is used, so that activations stay of order one.
// `positive`: names of weights that must not be negative.
Checkpoint GenericWeights(const Graph& graph,
                          const std::set<std::string>& positive, Signs signs,
                          uint64_t seed);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_GENERIC_WEIGHTS_H_
