// Recurrent layers: RNN, GRU and LSTM, in one or both directions.

#include <algorithm>

#include "graph/ops/common.h"
#include "graph/ops/ops.h"
#include "graph/ops/recurrent_cells.h"
#include "graph/ops/recurrent_layer.h"
#include "graph/ops/rows.h"

namespace rebasin {
namespace {

struct Sizes {
  int64_t steps, batch, inputs, directions, hidden;
};

void CheckInput(const OpContext& context, size_t input, const Shape& expected) {
  if (!context.Has(input) || context.shape(input) == expected) return;
  throw context.Bad("input " + std::to_string(input) + " " +
                    ShapeText(context.shape(input)) + " should be " +
                    ShapeText(expected));
}

Sizes SizesOf(const OpContext& context, int64_t gates) {
  const Shape& x = context.shape(kX);
  const Shape& r = context.shape(kR);
  if (x.size() != 3 || r.size() != 3) {
    throw context.Bad("its inputs are not of rank 3");
  }
  const bool both = !RunsBackwards(context, 0) && RunsBackwards(context, 1);
  const Sizes sizes = {x[0], x[1], x[2], both ? 2 : 1, r[2]};
  const int64_t rows = Times(context, gates, sizes.hidden);
  context.type(kW);
  CheckInput(context, kW, {sizes.directions, rows, sizes.inputs});
  CheckInput(context, kR, {sizes.directions, rows, sizes.hidden});
  CheckInput(context, kBias, {sizes.directions, Times(context, 2, rows)});
  const Shape state = {sizes.directions, sizes.batch, sizes.hidden};
  CheckInput(context, kLengths, {sizes.batch});
  CheckInput(context, kInitialH, state);
  CheckInput(context, kInitialC, state);
  return sizes;
}

template <int64_t kGates>
std::vector<ValueType> InferRecurrent(const OpContext& context) {
  // Layout 1 (batch before time) has no implementation. The types are unknown,
  // so that the rest of the graph can be read.
  if (context.Int("layout", 0) != 0) return std::vector<ValueType>(3);
  const Sizes sizes = SizesOf(context, kGates);
  const Kind kind = context.type(kX).kind;
  const auto state =
      KnownType(kind, {sizes.directions, sizes.batch, sizes.hidden});
  const auto all = KnownType(
      kind, {sizes.steps, sizes.directions, sizes.batch, sizes.hidden});
  if (kGates == 4) return {all, state, state};
  return {all, state};
}

// Row `row` of a matrix with `size` columns.
auto Row(std::vector<double>& matrix, int64_t row, int64_t size) {
  if (matrix.empty()) return std::span<double>();
  return std::span(matrix).subspan(row * size, size);
}

// After a step: a sequence that has ended goes back to its previous state, and
// its output is zero.
void KeepEnded(int64_t step, const std::vector<int64_t>& lengths, State& before,
               State& state, std::span<double> out) {
  if (lengths.empty()) return;
  const auto batch = static_cast<int64_t>(lengths.size());
  const int64_t hidden = static_cast<int64_t>(state.h.size()) / batch;
  for (int64_t b = 0; b < batch; ++b) {
    const auto h = Row(state.h, b, hidden);
    if (step < lengths[b]) {
      std::copy(h.begin(), h.end(), out.begin() + b * hidden);
      continue;
    }
    std::ranges::copy(Row(before.h, b, hidden), h.begin());
    std::ranges::copy(Row(before.c, b, hidden),
                      Row(state.c, b, hidden).begin());
  }
}

template <Step kStep, int64_t kGates>
std::vector<Array> Run(const OpContext& context,
                       std::span<const ValueType> types,
                       const std::string& activations) {
  if (context.Int("layout", 0) != 0) {
    throw Unsupported(context, "layout 1 is not supported");
  }
  const Sizes sizes = SizesOf(context, kGates);
  CheckSupported(context);
  const auto lengths = SequenceLengths(context, sizes.steps, sizes.batch);
  const int64_t size = sizes.batch * sizes.hidden;
  std::vector<double> all(sizes.steps * sizes.directions * size);
  std::vector<double> last_h, last_c;
  for (int64_t d = 0; d < sizes.directions; ++d) {
    const Layer layer = MakeLayer(context, activations, d);
    State state{InitialState(context, kInitialH, d, size),
                InitialState(context, kInitialC, d, size)};
    const auto from_input =
        Affine(sizes.steps * sizes.batch, context.array(kX)->values(), layer.w,
               layer.w_bias);
    const bool back = RunsBackwards(context, d);
    for (int64_t i = 0; i < sizes.steps; ++i) {
      const int64_t step = back ? sizes.steps - 1 - i : i;
      State before = state;
      kStep(layer,
            std::span(from_input).subspan(step * size * kGates, size * kGates),
            state);
      KeepEnded(
          step, lengths, before, state,
          std::span(all).subspan((step * sizes.directions + d) * size, size));
    }
    last_h.insert(last_h.end(), state.h.begin(), state.h.end());
    last_c.insert(last_c.end(), state.c.begin(), state.c.end());
  }
  std::vector<Array> results = SingleOutput(types[0], std::move(all));
  results.push_back(
      MakeArray(types[1].kind, types[1].shape, std::move(last_h)));
  results.push_back(
      MakeArray(types[1].kind, types[1].shape, std::move(last_c)));
  return results;
}

std::vector<Array> EvaluateRnn(const OpContext& context,
                               std::span<const ValueType> types) {
  return Run<StepRnn, 1>(context, types, "Tanh");
}

std::vector<Array> EvaluateGru(const OpContext& context,
                               std::span<const ValueType> types) {
  return Run<StepGru, 3>(context, types, "Sigmoid,Tanh");
}

std::vector<Array> EvaluateLstm(const OpContext& context,
                                std::span<const ValueType> types) {
  return Run<StepLstm, 4>(context, types, "Sigmoid,Tanh,Tanh");
}

// The last four inputs: lengths, two initial states, which exporters fill with
// zeros, and the peephole weights of an LSTM.
constexpr OperatorInput kWeight = {.role = InputRole::kFactor,
                                   .channel_axis = 1,
                                   .first_summed = -1,
                                   .last_summed = -1};
constexpr OperatorInput kInputs[] = {
    {.role = InputRole::kData, .first_summed = -1, .last_summed = -1},
    kWeight,
    kWeight,
    {.role = InputRole::kGateBias},
    {.role = InputRole::kLengths, .limit = IndexLimit::kSteps},
    kData,
    kData,
    {.role = InputRole::kPeephole}};

constexpr AttributeDefault kGruDefaults[] = {{"linear_before_reset", 0}};
constexpr AttributeDefault kLstmDefaults[] = {{"input_forget", 0}};

// A recurrent node counts as one layer, whatever its number of steps.
constexpr Facts kRecurs =
    With(kUsual, OperatorClass::kLayer, kInputs, DegreeLaw::kNone,
         WeightInit::kFanIn, WrittenSizes::kHiddenSize);

constexpr Operator kOperators[] = {
    {"RNN", 6, InferRecurrent<1>, EvaluateRnn, kRecurs, kCostly},
    {"GRU", 6, InferRecurrent<3>, EvaluateGru, With(kRecurs, kGruDefaults),
     kCostly},
    {"LSTM", 8, InferRecurrent<4>, EvaluateLstm, With(kRecurs, kLstmDefaults),
     kCostly},
};

}  // namespace

std::span<const Operator> RecurrentOperators() { return kOperators; }

}  // namespace rebasin
