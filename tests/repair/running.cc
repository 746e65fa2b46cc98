#include "repair/running.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/random.h"
#include "discovery/discovered.h"
#include "graph/interpreter.h"
#include "verify/random_inputs.h"

namespace rebasin::testing {
namespace {

// float32 weights, some rounding of scaled ones.
constexpr double kTolerance = 1e-5;

Array ReadWeight(const Checkpoint& model, const Value& weight) {
  const Tensor& tensor = *model.Find(weight.name);
  std::vector<double> values(tensor.size());
  ReadDoubles(tensor, 0, values);
  return MakeArray(Kind::kFloat, tensor.shape, std::move(values));
}

// What is needed for the value alone, so that deep graphs run no further.
std::vector<Node> NodesBefore(const Graph& graph, ValueId value) {
  std::vector<bool> needed(graph.values().size(), false);
  needed[value] = true;
  std::vector<Node> nodes;
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend();
       ++node) {
    const bool makes =
        std::any_of(node->outputs.begin(), node->outputs.end(),
                    [&](ValueId o) { return o != kNoValue && needed[o]; });
    if (!makes) continue;
    for (ValueId input : node->inputs) {
      if (input != kNoValue) needed[input] = true;
    }
    nodes.push_back(*node);
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

double Corrected(const Correction& correction, double value, size_t channel) {
  const double shift = correction.shift.empty() ? 0 : correction.shift[channel];
  return correction.scale[channel] * value + shift;
}

}  // namespace

Array RunTo(const Graph& graph, const Checkpoint& model, ValueId value,
            uint64_t seed) {
  const std::vector<Shape> shapes = SmallInputShapes(graph);
  const Graph part(graph.values(), NodesBefore(graph, value), {value});
  const Inference inference = Infer(part, shapes);
  const auto inputs = RandomInputs(part, inference, shapes, seed);
  return RunGraph(part, inference, inputs, [&](const Value& weight) {
    return ReadWeight(model, weight);
  })[0];
}

Correction RandomCorrection(const RepairSite& site, uint64_t seed) {
  Random random(seed);
  Correction correction{.site = site, .scale = {}, .shift = {}};
  for (int64_t c = 0; c < site.channels; ++c) {
    correction.scale.push_back(0.5 + random.Uniform());
    if (site.can_shift()) correction.shift.push_back(random.Normal());
  }
  return correction;
}

void ExpectCorrected(const Graph& graph, const RepairSite& site,
                     uint64_t seed) {
  const Checkpoint model = RandomWeights(graph, seed);
  const Correction correction = RandomCorrection(site, seed + 1);
  const Checkpoint changed = ApplyCorrections(model, std::span(&correction, 1));
  const Array before = RunTo(graph, model, site.value, seed);
  const Array after = RunTo(graph, changed, site.value, seed);
  ASSERT_EQ(before.shape, after.shape);
  ASSERT_EQ(before.shape.at(site.channel_axis), site.channels);
  int64_t inner = 1;
  for (size_t a = site.channel_axis + 1; a < before.shape.size(); ++a) {
    inner *= before.shape[a];
  }
  double largest = 0, difference = 0;
  for (int64_t i = 0; i < before.size(); ++i) {
    const size_t channel = static_cast<size_t>(i / inner % site.channels);
    const double expected = Corrected(correction, before.values()[i], channel);
    largest = std::max(largest, std::abs(expected));
    difference = std::max(difference, std::abs(after.values()[i] - expected));
  }
  EXPECT_GT(largest, 0) << NodeText(graph.nodes()[site.node]);
  EXPECT_LE(difference, kTolerance * largest)
      << NodeText(graph.nodes()[site.node]);
}

}  // namespace rebasin::testing
