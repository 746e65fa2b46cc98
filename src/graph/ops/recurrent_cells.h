// One step of a recurrent layer.

#ifndef REBASIN_GRAPH_OPS_RECURRENT_CELLS_H_
#define REBASIN_GRAPH_OPS_RECURRENT_CELLS_H_

#include <cstdint>
#include <span>
#include <vector>

namespace rebasin {

using Activation = double (*)(double);

// One direction of a layer, with matrices ready to be multiplied from the
// right. A matrix has a block of `hidden` columns for each gate.
struct Layer {
  int64_t hidden = 0;
  std::vector<double> w;  // of the input
  std::vector<double> r;  // of the state
  std::vector<double> w_bias;
  std::vector<double> r_bias;
  std::vector<Activation> activations;  // f, g, h of the standard
  bool linear_before_reset = false;     // GRU: R h is gated, not h
};

// One row for each member of the batch.
struct State {
  std::vector<double> h;
  std::vector<double> c;  // LSTM only
};

// a (of `rows` rows) times b, plus a bias for each column.
std::vector<double> Affine(int64_t rows, std::span<const double> a,
                           const std::vector<double>& b,
                           const std::vector<double>& bias);

// Advance the state, given the input times w plus w_bias.
using Step = void (*)(const Layer& layer, std::span<const double> from_input,
                      State& state);
void StepRnn(const Layer& layer, std::span<const double> from_input,
             State& state);
void StepGru(const Layer& layer, std::span<const double> from_input,
             State& state);
void StepLstm(const Layer& layer, std::span<const double> from_input,
              State& state);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_OPS_RECURRENT_CELLS_H_
