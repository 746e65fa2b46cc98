// Random weights for a proof that must not depend on the weights of a model.
//
// Whether a permutation is a symmetry is a property of the graph. But a run
// shows it only if numbers flow: a gain of zero, or units that never fire, hide
// everything behind them. Random weights of the right size hide nothing.

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
  kCalm,         // for deep graphs: few units are dead or saturated
  kAllPositive,  // for graphs with roots and logarithms of weights
};

// Returns one random tensor for each weight of the graph. It is scaled by the
// number of products that are summed where the weight is used, so that
// activations stay of order one. `positive`: names of weights that must not be
// negative.
Checkpoint GenericWeights(const Graph& graph,
                          const std::set<std::string>& positive, Signs signs,
                          uint64_t seed);

}  // namespace rebasin

#endif  // REBASIN_VERIFY_GENERIC_WEIGHTS_H_
