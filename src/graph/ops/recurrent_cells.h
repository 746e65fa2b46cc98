// One time step of a recurrent layer.

#ifndef REBASIN_GRAPH_OPS_RECURRENT_CELLS_H_
#define REBASIN_GRAPH_OPS_RECURRENT_CELLS_H_

#include <cstdint>
#include <span>
#include <vector>

namespace rebasin {

using Activation = double (*)(double);

// One direction of a layer. Matrices are stored so that they are multiplied
// from the right, with a block of `hidden` columns for each gate.
struct Layer {
  int64_t hidden = 0;
  std::vector<double> w;  // of the input
  std::vector<double> r;  // of the state
  std::vector<double> w_bias;
  std::vector<double> r_bias;
  std::vector<Activation> activations;  // f, g, h of the ONNX specification
  // GRU: the reset gate applies to R h, not to h
  bool linear_before_reset = false;
};

// One row for each member of the batch.
struct State {
  std::vector<double> h;
  std::vector<double> c;  // LSTM only
};

// a * b, plus a bias for each column. `a` has `rows` rows.
std::vector<double> Affine(int64_t rows, std::span<const double> a,
                           const std::vector<double>& b,
                           const std::vector<double>& bias);

// Advances the state. `from_input` is the input times w, plus w_bias.
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
