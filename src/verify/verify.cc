#include "rebasin/verify.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "graph/inference.h"
#include "graph/interpreter.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"
#include "verify/random_inputs.h"

namespace rebasin {
namespace {

Array ReadWeight(const Checkpoint& model, const Value& weight) {
  const Tensor& tensor = *model.Find(weight.name);
  std::vector<double> values(tensor.size());
  ReadDoubles(tensor, 0, values);
  return MakeArray(Kind::kFloat, tensor.shape, std::move(values));
}

WeightSource WeightsOf(const Checkpoint& model) {
  return [&model](const Value& weight) { return ReadWeight(model, weight); };
}

bool IsFinite(const Array& array) {
  return std::all_of(array.values().begin(), array.values().end(),
                     [](double value) { return std::isfinite(value); });
}

OutputDifference Compare(const std::string& name, const Array& a,
                         const Array& b) {
  OutputDifference result{.name = name, .shape = a.shape};
  for (size_t i = 0; i < a.values().size(); ++i) {
    const double difference = std::abs(a.values()[i] - b.values()[i]);
    result.largest = std::max(result.largest, std::abs(a.values()[i]));
    // Not max(): a NaN must not get lost.
    if (!(difference <= result.difference)) result.difference = difference;
  }
  return result;
}

void CheckFinite(const Graph& graph, const std::vector<Array>& outputs) {
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (IsFinite(outputs[o])) continue;
    throw Error(ErrorCode::kBadInput,
                "cannot verify: on random inputs the model's output " +
                    Quoted(graph.values()[graph.outputs()[o]].name) +
                    " is not finite");
  }
}

}  // namespace

void CheckFits(const Graph& graph, const Checkpoint& model) {
  for (ValueId id : graph.weights()) {
    const Value& weight = graph.values()[id];
    const Tensor* tensor = model.Find(weight.name);
    if (tensor == nullptr) {
      throw Error(
          ErrorCode::kMismatch,
          "the graph's weight " + Quoted(weight.name) + " is not in the model");
    }
    if (tensor->shape != weight.shape) {
      throw Error(ErrorCode::kMismatch,
                  "weight " + Quoted(weight.name) + ": the graph wants shape " +
                      ShapeText(weight.shape) + ", the model has " +
                      ShapeText(tensor->shape));
    }
    if (!IsArithmetic(tensor->dtype)) {
      throw Error(ErrorCode::kUnsupported,
                  "weight " + Quoted(weight.name) + " has element type " +
                      std::string(DTypeName(tensor->dtype)) +
                      ", on which no arithmetic is done");
    }
  }
}

VerifyReport Verify(const Graph& graph, const Checkpoint& model,
                    const Alignment& alignment, const VerifyOptions& options) {
  CheckFits(graph, model);
  VerifyReport report;
  report.input_shapes = SmallInputShapes(graph);
  const Inference inference = Infer(graph, report.input_shapes);
  const std::vector<Array> inputs =
      RandomInputs(graph, inference, report.input_shapes, options.seed);
  // Products that are rounded to the model's own type would be seen.
  const Checkpoint permuted =
      Permute(alignment.HasFactors() ? ConvertTypes(model, DType::kF64) : model,
              alignment, options.threads);
  std::vector<Array> before, after;
  ThreadPool pool(options.threads);
  pool.For(2, [&](int64_t which) {
    (which == 0 ? before : after) = RunGraph(
        graph, inference, inputs, WeightsOf(which == 0 ? model : permuted));
  });
  CheckFinite(graph, before);
  report.same = true;
  for (size_t o = 0; o < before.size(); ++o) {
    const std::string& name = graph.values()[graph.outputs()[o]].name;
    report.outputs.push_back(Compare(name, before[o], after[o]));
    const OutputDifference& output = report.outputs.back();
    report.same &= output.difference <= options.tolerance * output.largest;
  }
  return report;
}

}  // namespace rebasin
