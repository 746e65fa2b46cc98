#include "verify/trial.h"

#include <algorithm>
#include <cmath>

#include "verify/coarse_scores.h"
#include "verify/random_inputs.h"

namespace rebasin {
namespace {

Array ReadWeight(const Checkpoint& model, const Value& weight) {
  const Tensor& tensor = *model.Find(weight.name);
  std::vector<double> values(tensor.size());
  ReadDoubles(tensor, 0, values);
  return MakeArray(Kind::kFloat, tensor.shape, std::move(values));
}

OutputDifference Difference(const std::string& name, const Array& a,
                            const Array& b) {
  OutputDifference result{.name = name, .shape = a.shape};
  for (size_t i = 0; i < a.values().size(); ++i) {
    const double difference = std::abs(a.values()[i] - b.values()[i]);
    result.largest = std::max(result.largest, std::abs(a.values()[i]));
    // Not std::max, which could lose a NaN.
    if (!(difference <= result.difference)) result.difference = difference;
  }
  return result;
}

}  // namespace

WeightSource WeightsOf(const Checkpoint& model) {
  return [&model](const Value& weight) { return ReadWeight(model, weight); };
}

Trial::Trial(const Graph& graph, const std::vector<Shape>& shapes,
             uint64_t seed, BranchChoice choice)
    : coarse_(WithCoarseScores(graph)),
      graph_(coarse_ ? *coarse_ : graph),
      inference_(Infer(graph_, shapes)),
      inputs_(RandomInputs(graph_, inference_, shapes, seed)),
      choice_(std::move(choice)) {}

std::vector<Array> Trial::Run(const WeightSource& weights) const {
  return RunGraph(graph_, inference_, inputs_, weights, choice_);
}

// Outputs whose shapes depend on data may change their shape.
std::vector<OutputDifference> Trial::Compare(
    const std::vector<Array>& before, const std::vector<Array>& after) const {
  std::vector<OutputDifference> differences;
  for (size_t o = 0; o < before.size(); ++o) {
    const std::string& name = graph_.values()[graph_.outputs()[o]].name;
    if (before[o].shape == after[o].shape) {
      differences.push_back(Difference(name, before[o], after[o]));
    } else {
      differences.push_back({.name = name,
                             .shape = before[o].shape,
                             .largest = 1,
                             .difference = 1});
    }
  }
  return differences;
}

bool AllFinite(const std::vector<Array>& outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const Array& array) {
    return std::all_of(array.values().begin(), array.values().end(),
                       [](double value) { return std::isfinite(value); });
  });
}

double LargestRelative(const std::vector<OutputDifference>& outputs) {
  double largest = 0;
  for (const OutputDifference& output : outputs) {
    const double relative = output.largest > 0
                                ? output.difference / output.largest
                                : output.difference;
    if (!(relative <= largest)) largest = relative;
  }
  return largest;
}

}  // namespace rebasin
