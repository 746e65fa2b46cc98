// Recurrent layers, step by step. The inputs' contributions are one product for
// all steps; LibTorch's own layers do the same on a CPU.

#include <ATen/ATen.h>

#include <algorithm>

#include "graph/ops/common.h"
#include "graph/ops/recurrent_layer.h"
#include "nn/ops/ops.h"

namespace rebasin::nn {
namespace {

using Activation = at::Tensor (*)(const at::Tensor&);

// One direction of a layer. A matrix has a block of rows for each gate.
struct Weights {
  at::Tensor r;       // for the state
  at::Tensor r_bias;  // undefined: no bias
  std::vector<Activation> activations;
  bool linear_before_reset = false;  // GRU: gates R h instead of h

  at::Tensor FromState(const at::Tensor& h) const {
    return at::linear(h, r, r_bias);
  }
};

struct State {
  at::Tensor h, c;
};

// Computes the next state from the input's contribution.
using Step = State (*)(const Weights&, const at::Tensor& from_input,
                       const State&);

State StepRnn(const Weights& weights, const at::Tensor& from_input,
              const State& state) {
  return {weights.activations[0](from_input + weights.FromState(state.h)), {}};
}

// Gates: update, reset, candidate.
State StepGru(const Weights& weights, const at::Tensor& from_input,
              const State& state) {
  const at::Tensor& h = state.h;
  const auto input = from_input.chunk(3, -1);
  const auto past = weights.FromState(h).chunk(3, -1);
  const at::Tensor update = weights.activations[0](input[0] + past[0]);
  const at::Tensor reset = weights.activations[0](input[1] + past[1]);
  at::Tensor gated = reset * past[2];
  if (!weights.linear_before_reset) {
    gated = weights.FromState(reset * h).chunk(3, -1)[2];
  }
  const at::Tensor candidate = weights.activations[1](input[2] + gated);
  return {candidate + update * (h - candidate), {}};
}

// Gates: input, output, forget, cell.
State StepLstm(const Weights& weights, const at::Tensor& from_input,
               const State& state) {
  const auto gates = (from_input + weights.FromState(state.h)).chunk(4, -1);
  const auto& f = weights.activations;
  const at::Tensor c =
      f[0](gates[2]) * state.c + f[0](gates[0]) * f[1](gates[3]);
  return {f[0](gates[1]) * f[2](c), c};
}

Activation FindActivation(const OpContext& context, const std::string& name) {
  if (name == "Relu") return at::relu;
  if (name == "Sigmoid") return at::sigmoid;
  if (name == "Tanh") return at::tanh;
  throw Unsupported(context,
                    "activation " + Quoted(name) + " is not supported");
}

// The bias of the input or, with `second`, of the state.
at::Tensor Bias(const OpCall& call, int64_t direction, bool second) {
  if (!call.Has(kBias)) return {};
  return call[kBias].select(0, direction).chunk(2)[second ? 1 : 0];
}

Weights MakeWeights(const OpCall& call, const std::string& activations,
                    int64_t direction) {
  const OpContext& context = call.context();
  Weights weights{.r = call[kR].select(0, direction),
                  .r_bias = Bias(call, direction, true),
                  .activations = {}};
  for (const auto& name : ActivationNames(context, activations, direction)) {
    weights.activations.push_back(FindActivation(context, name));
  }
  weights.linear_before_reset = context.Int("linear_before_reset", 0) != 0;
  return weights;
}

// Zeros if the input is missing.
at::Tensor InitialState(const OpCall& call, size_t input, int64_t direction) {
  if (call.Has(input)) return call[input].select(0, direction);
  const at::Tensor& x = call[kX];
  return at::zeros({x.size(1), call[kR].size(2)}, x.options());
}

// For each step, which sequences have not ended before it; empty if none ends
// early.
std::vector<at::Tensor> RunningSequences(const OpCall& call) {
  const OpContext& context = call.context();
  const int64_t steps = call[kX].size(0);
  const auto lengths = SequenceLengths(context, steps, call[kX].size(1));
  const bool all = std::all_of(lengths.begin(), lengths.end(),
                               [&](int64_t length) { return length == steps; });
  if (all) return {};
  const at::Tensor ends =
      at::tensor(lengths, at::kLong).to(call[kX].device()).unsqueeze(1);
  std::vector<at::Tensor> running;
  for (int64_t t = 0; t < steps; ++t) running.push_back(ends > t);
  return running;
}

// Sequences that have ended keep their state and output zeros.
at::Tensor KeepEnded(const at::Tensor& running, const State& before,
                     State& state) {
  state.h = at::where(running, state.h, before.h);
  if (state.c.defined()) state.c = at::where(running, state.c, before.c);
  return at::where(running, state.h, at::zeros_like(state.h));
}

struct Direction {
  at::Tensor all;  // h after each step
  State last;
};

Direction RunDirection(const OpCall& call, Step step,
                       const std::string& activations, int64_t direction) {
  const Weights weights = MakeWeights(call, activations, direction);
  const at::Tensor from_input = at::linear(
      call[kX], call[kW].select(0, direction), Bias(call, direction, false));
  const int64_t steps = call[kX].size(0);
  const bool back = RunsBackwards(call.context(), direction);
  State state = {InitialState(call, kInitialH, direction),
                 InitialState(call, kInitialC, direction)};
  const std::vector<at::Tensor> running = RunningSequences(call);
  std::vector<at::Tensor> all(steps);
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t t = back ? steps - 1 - i : i;
    const State before = state;
    state = step(weights, from_input.select(0, t), state);
    all[t] = running.empty() ? state.h : KeepEnded(running[t], before, state);
  }
  return {at::stack(all), state};
}

std::vector<at::Tensor> Run(const OpCall& call, Step step,
                            const std::string& activations) {
  CheckSupported(call.context());
  std::vector<at::Tensor> all, last_h, last_c;
  for (int64_t d = 0; d < call[kW].size(0); ++d) {
    const Direction direction = RunDirection(call, step, activations, d);
    all.push_back(direction.all);
    last_h.push_back(direction.last.h);
    if (direction.last.c.defined()) last_c.push_back(direction.last.c);
  }
  std::vector<at::Tensor> outputs = {at::stack(all, 1), at::stack(last_h)};
  if (!last_c.empty()) outputs.push_back(at::stack(last_c));
  return outputs;
}

std::vector<at::Tensor> Rnn(const OpCall& call) {
  return Run(call, StepRnn, "Tanh");
}

std::vector<at::Tensor> Gru(const OpCall& call) {
  return Run(call, StepGru, "Sigmoid,Tanh");
}

std::vector<at::Tensor> Lstm(const OpCall& call) {
  return Run(call, StepLstm, "Sigmoid,Tanh,Tanh");
}

// The reference handles computed lengths and sequences without steps.
bool HasSteps(const OpContext& context) {
  return OfFloats(context) && context.shape(kX)[0] > 0 &&
         (!context.Has(kLengths) || context.Ints(kLengths).has_value());
}

constexpr Lowering kLowerings[] = {
    {"RNN", Rnn, HasSteps},
    {"GRU", Gru, HasSteps},
    {"LSTM", Lstm, HasSteps},
};

}  // namespace

std::span<const Lowering> RecurrentLowerings() { return kLowerings; }

}  // namespace rebasin::nn
