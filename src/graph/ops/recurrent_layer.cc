#include "graph/ops/recurrent_layer.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "graph/ops/common.h"

namespace rebasin {
namespace {

double Relu(double x) { return MaxOrNan(x, 0); }
double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double Tanh(double x) { return std::tanh(x); }

Activation FindActivation(const OpContext& context, const std::string& name) {
  if (name == "Relu") return Relu;
  if (name == "Sigmoid") return Sigmoid;
  if (name == "Tanh") return Tanh;
  throw Unsupported(context,
                    "activation " + Quoted(name) + " is not supported");
}

// Matrix `i` of a stack of matrices, transposed.
std::vector<double> TransposedMatrix(const Array& stack, int64_t i) {
  const int64_t rows = stack.shape[1];
  const int64_t columns = stack.shape[2];
  return Pick(stack.values(),
              StridedOffsets({columns, rows}, std::vector{int64_t{1}, columns},
                             i * rows * columns));
}

}  // namespace

bool RunsBackwards(const OpContext& context, int64_t direction) {
  const std::string name = context.String("direction", "forward");
  if (name == "forward") return false;
  if (name == "reverse") return true;
  if (name == "bidirectional") return direction == 1;
  throw context.Bad("direction " + Quoted(name) + " is unknown");
}

void CheckSupported(const OpContext& context) {
  if (context.Has(kPeepholes)) {
    throw Unsupported(context, "peepholes are not supported");
  }
  if (context.Float("clip", 0) != 0) {
    throw Unsupported(context, "clip is not supported");
  }
  if (context.Int("input_forget", 0) != 0) {
    throw Unsupported(context, "input_forget is not supported");
  }
}

std::vector<int64_t> SequenceLengths(const OpContext& context, int64_t steps,
                                     int64_t batch) {
  auto lengths = context.Ints(kLengths);
  if (!lengths) return std::vector<int64_t>(batch, steps);
  // Longer lengths are undefined in ONNX, so they are clamped.
  for (int64_t& length : *lengths) {
    length = std::clamp<int64_t>(length, 0, steps);
  }
  return *std::move(lengths);
}

std::vector<std::string> ActivationNames(const OpContext& context,
                                         const std::string& otherwise,
                                         int64_t direction) {
  const size_t count = std::count(otherwise.begin(), otherwise.end(), ',') + 1;
  const std::string text =
      context.String("activations", otherwise + "," + otherwise);
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    names.push_back(name);
  }
  const size_t begin = static_cast<size_t>(direction) * count;
  if (names.size() < begin + count) {
    throw context.Bad("it has too few activations");
  }
  return {names.begin() + begin, names.begin() + begin + count};
}

Layer MakeLayer(const OpContext& context, const std::string& activations,
                int64_t direction) {
  const int64_t rows = context.shape(kW)[1];
  Layer layer;
  for (const auto& name : ActivationNames(context, activations, direction)) {
    layer.activations.push_back(FindActivation(context, name));
  }
  layer.hidden = context.shape(kR)[2];
  layer.w = TransposedMatrix(*context.array(kW), direction);
  layer.r = TransposedMatrix(*context.array(kR), direction);
  layer.w_bias.assign(rows, 0.0);
  layer.r_bias.assign(rows, 0.0);
  layer.linear_before_reset = context.Int("linear_before_reset", 0) != 0;
  if (context.Has(kBias)) {
    const auto from =
        context.array(kBias)->values().begin() + direction * 2 * rows;
    layer.w_bias.assign(from, from + rows);
    layer.r_bias.assign(from + rows, from + 2 * rows);
  }
  return layer;
}

std::vector<double> InitialState(const OpContext& context, size_t input,
                                 int64_t direction, int64_t size) {
  if (!context.Has(input)) return std::vector<double>(size, 0.0);
  const auto from = context.array(input)->values().begin() + direction * size;
  return std::vector<double>(from, from + size);
}

}  // namespace rebasin
