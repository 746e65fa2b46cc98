// Reads the weights and states of a recurrent layer from its inputs.

#ifndef REBASIN_GRAPH_OPS_RECURRENT_LAYER_H_
#define REBASIN_GRAPH_OPS_RECURRENT_LAYER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/operator.h"
#include "graph/ops/recurrent_cells.h"

namespace rebasin {

// The inputs of RNN, GRU and LSTM.
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

// Whether a direction (0, or 1 of a bidirectional layer) runs from the end to
// the start. Throws context.Bad if the attribute is unknown.
bool RunsBackwards(const OpContext& context, int64_t direction);

// Throws Error(kUnsupported) for options without an implementation: peepholes,
// clip, ...
void CheckSupported(const OpContext& context);

// The number of steps of each member of the batch, at most `steps`.
std::vector<int64_t> SequenceLengths(const OpContext& context, int64_t steps,
                                     int64_t batch);

// The names of a direction's activations (f, g, h of the ONNX specification).
// `otherwise` has the defaults of one direction, separated by commas. The
// attribute has the same form, with one direction after the other. Throws
// context.Bad if there are too few.
std::vector<std::string> ActivationNames(const OpContext& context,
                                         const std::string& otherwise,
                                         int64_t direction);

// One direction of a layer. `activations` are the defaults. Throws
// Error(kUnsupported) for unknown activations.
Layer MakeLayer(const OpContext& context, const std::string& activations,
                int64_t direction);

// The initial state of a direction; zeros if it is omitted.
std::vector<double> InitialState(const OpContext& context, size_t input,
                                 int64_t direction, int64_t size);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_RECURRENT_LAYER_H_
