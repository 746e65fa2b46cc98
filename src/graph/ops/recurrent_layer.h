// Reads the weights and states of a recurrent layer from its inputs.

#ifndef REBASIN_GRAPH_OPS_RECURRENT_LAYER_H_
#define REBASIN_GRAPH_OPS_RECURRENT_LAYER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/operator.h"
#include "graph/ops/recurrent_cells.h"

namespace rebasin {

// The inputs that all three share.
enum RecurrentInput : size_t {
  kX,
  kW,
  kR,
  kBias,
  kLengths,
  kInitialH,
  kInitialC,
  kPeepholes
};

// One direction of a layer, with the activations that it has by default, joined
// by commas. So is the attribute of that name, for one direction after the
// other. Throws Error(kUnsupported) for activations not known here.
Layer MakeLayer(const OpContext& context, const std::string& activations,
                int64_t direction);

// The initial state of a direction; zeros if it is not given.
std::vector<double> InitialState(const OpContext& context, size_t input,
                                 int64_t direction, int64_t size);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_RECURRENT_LAYER_H_
