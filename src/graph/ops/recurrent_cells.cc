#include "graph/ops/recurrent_cells.h"

#include <algorithm>
#include <tuple>

#include "graph/ops/multiply.h"

namespace rebasin {
namespace {

// The contribution of the state: h times r, plus r_bias.
std::vector<double> FromState(const Layer& layer,
                              const std::vector<double>& h) {
  const int64_t batch = static_cast<int64_t>(h.size()) / layer.hidden;
  return Affine(batch, h, layer.r, layer.r_bias);
}

// The offset of a gate of element i of the state, in rows of `gates` gates.
struct GateIndex {
  size_t hidden;
  size_t gates;
  size_t operator()(size_t i, size_t gate) const {
    return (i / hidden * gates + gate) * hidden + i % hidden;
  }
};

}  // namespace

std::vector<double> Affine(int64_t rows, std::span<const double> a,
                           const std::vector<double>& b,
                           const std::vector<double>& bias) {
  std::vector<double> result;
  result.reserve(rows * bias.size());
  for (int64_t i = 0; i < rows; ++i) {
    result.insert(result.end(), bias.begin(), bias.end());
  }
  MultiplyAdd(rows, static_cast<int64_t>(bias.size()),
              static_cast<int64_t>(a.size()) / std::max<int64_t>(rows, 1),
              a.data(), b.data(), result.data());
  return result;
}

void StepRnn(const Layer& layer, std::span<const double> from_input,
             State& state) {
  const std::vector<double> from_state = FromState(layer, state.h);
  for (size_t i = 0; i < state.h.size(); ++i) {
    state.h[i] = layer.activations[0](from_input[i] + from_state[i]);
  }
}

// Gates: update, reset, candidate.
void StepGru(const Layer& layer, std::span<const double> from_input,
             State& state) {
  const GateIndex at{static_cast<size_t>(layer.hidden), 3};
  std::vector<double> from_state = FromState(layer, state.h);
  const auto gate = [&](size_t i, size_t g) {
    return layer.activations[0](from_input[at(i, g)] + from_state[at(i, g)]);
  };
  const size_t size = state.h.size();
  std::vector<double> update(size), reset(size), reset_h(size);
  for (size_t i = 0; i < size; ++i) {
    update[i] = gate(i, 0);
    reset[i] = gate(i, 1);
    reset_h[i] = reset[i] * state.h[i];
  }
  if (!layer.linear_before_reset) from_state = FromState(layer, reset_h);
  for (size_t i = 0; i < size; ++i) {
    const double past = from_state[at(i, 2)];
    const double candidate = layer.activations[1](
        from_input[at(i, 2)] +
        (layer.linear_before_reset ? reset[i] * past : past));
    state.h[i] = (1 - update[i]) * candidate + update[i] * state.h[i];
  }
}

// Gates: input, output, forget, cell.
void StepLstm(const Layer& layer, std::span<const double> from_input,
              State& state) {
  const GateIndex at{static_cast<size_t>(layer.hidden), 4};
  const std::vector<double> from_state = FromState(layer, state.h);
  const auto [f, g, h] = std::tuple(layer.activations[0], layer.activations[1],
                                    layer.activations[2]);
  for (size_t i = 0; i < state.h.size(); ++i) {
    const auto sum = [&](size_t gate) {
      return from_input[at(i, gate)] + from_state[at(i, gate)];
    };
    state.c[i] = f(sum(2)) * state.c[i] + f(sum(0)) * g(sum(3));
    state.h[i] = f(sum(1)) * h(state.c[i]);
  }
}

}  // namespace rebasin
