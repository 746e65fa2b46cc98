// PyTorch's LSTM over tokens or vectors, and a dense layer on its last output.
// ONNX stacks the gates in another order than PyTorch, so the weights are split
// and concatenated again, as exporters do.

#include "zoo/architecture.h"
#include "zoo/attention.h"
#include "zoo/layers.h"

namespace rebasin::zoo {
namespace {

// Positions of ONNX's gates i, o, f, c among PyTorch's i, f, g, o.
constexpr int64_t kGateOrder[] = {0, 3, 1, 2};

ValueId ReorderGates(GraphBuilder& g, ValueId stacked, int64_t units) {
  std::vector<ValueId> gates;
  for (int64_t gate : kGateOrder) {
    gates.push_back(Slice(g, stacked, 0, gate * units, (gate + 1) * units));
  }
  return Concat(g, gates, 0);
}

// [direction, ...]
ValueId Stack(GraphBuilder& g, const std::vector<ValueId>& directions) {
  std::vector<ValueId> parts;
  parts.reserve(directions.size());
  for (ValueId direction : directions) {
    parts.push_back(g.Add("Unsqueeze", {direction, g.Ints({0})}));
  }
  return parts.size() == 1 ? parts[0] : Concat(g, parts, 0);
}

struct Operands {
  std::vector<ValueId> inputs, states, biases;  // one for each direction
};

void AddDirection(GraphBuilder& g, const std::string& suffix, int64_t inputs,
                  int64_t units, Operands& operands) {
  const auto weight = [&](const char* name, Shape shape) {
    const ValueId stacked =
        g.Weight("rnn." + (name + suffix), std::move(shape));
    return ReorderGates(g, stacked, units);
  };
  operands.inputs.push_back(weight("weight_ih", {4 * units, inputs}));
  operands.states.push_back(weight("weight_hh", {4 * units, units}));
  const ValueId input_bias = weight("bias_ih", {4 * units});
  const ValueId state_bias = weight("bias_hh", {4 * units});
  operands.biases.push_back(Concat(g, {input_bias, state_bias}, 0));
}

// Input and output are [position, batch, features].
ValueId Layer(GraphBuilder& g, int64_t layer, ValueId x, int64_t units,
              bool bidirectional) {
  const std::string suffix = "_l" + std::to_string(layer);
  const int64_t inputs = g.shape(x).back();
  g.SetScope("rnn" + suffix);
  Operands operands;
  AddDirection(g, suffix, inputs, units, operands);
  if (bidirectional) {
    AddDirection(g, suffix + "_reverse", inputs, units, operands);
  }
  const std::string direction = bidirectional ? "bidirectional" : "forward";
  const ValueId outputs =
      g.Add("LSTM",
            {x, Stack(g, operands.inputs), Stack(g, operands.states),
             Stack(g, operands.biases)},
            {{"hidden_size", units}, {"direction", direction}});
  // [position, direction, batch, unit]
  return Reshape(g, Transpose(g, outputs, {0, 2, 1, 3}), {0, 0, -1});
}

// [batch, position, features]
ValueId Input(GraphBuilder& g, const Settings& settings) {
  const int64_t sequence = settings.Int("sequence"), in = settings.Int("in");
  if (settings.Is("input", "dense")) {
    return g.Input("input", {kOpenSize, sequence, in}, Kind::kFloat, {"batch"});
  }
  return Embedding(g, "embedding", TokenInput(g, sequence),
                   settings.Int("vocab"), in);
}

void BuildLstm(GraphBuilder& g, const Settings& settings) {
  ValueId x = Transpose(g, Input(g, settings), {1, 0, 2});
  for (int64_t layer = 0; layer < settings.Int("layers"); ++layer) {
    x = Layer(g, layer, x, settings.Int("width"),
              settings.Is("bidirectional", "true"));
  }
  const ValueId last = g.Add("Gather", {x, g.Int(-1)}, {{"axis", int64_t{0}}});
  g.Output(Linear(g, "fc", last, settings.Int("classes")), "output");
}

Findings FitLstm(const Clues& clues) {
  const bool tokens = clues.Has("embedding.weight");
  Findings findings = {{"input", tokens ? "tokens" : "dense"},
                       {"in", clues.Size("rnn.weight_ih_l0", 1)},
                       {"width", clues.Size("rnn.weight_hh_l0", 1)},
                       {"layers", clues.Count("rnn.weight_ih_l", "")},
                       {"bidirectional", clues.Has("rnn.weight_ih_l0_reverse")},
                       {"classes", clues.Size("fc.weight", 0)}};
  if (tokens) findings.emplace_back("vocab", clues.Size("embedding.weight", 0));
  return findings;
}

}  // namespace

std::vector<Architecture> LstmArchitectures() {
  return {
      {.entry = {"lstm",
                 "PyTorch's LSTM, and a dense layer on its last output",
                 {Choice("input", {"tokens", "dense"},
                         "numbers of tokens, embedded, or vectors"),
                  Number("in", 128, 1, 1000000,
                         "width of the embedding or of the vectors"),
                  Number("width", 256, 1, 100000, "hidden units"),
                  Number("layers", 1, 1, 100, "stacked"),
                  Flag("bidirectional", "in both directions"), Classes(10),
                  Number("vocab", 10000, 1, 10000000, "tokens"), Sequence()}},
       .build = BuildLstm,
       .fit = FitLstm}};
}

}  // namespace rebasin::zoo
