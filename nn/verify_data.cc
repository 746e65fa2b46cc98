#include "nn/verify_data.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/batches.h"
#include "nn/classifier.h"
#include "nn/weights.h"
#include "rebasin/error.h"
#include "rebasin/merge.h"

namespace rebasin::nn {
namespace {

// Smaller than usual: doubles are twice as large, and two networks run.
constexpr int64_t kBatch = 50;

struct Extremes {
  double largest = 0;
  double difference = 0;
};

// Keeps NaN, which std::max may lose.
double Larger(double a, double b) { return a >= b ? a : std::isnan(a) ? a : b; }

Extremes Compare(const at::Tensor& a, const at::Tensor& b) {
  return {at::abs(a).max().item<double>(), at::abs(a - b).max().item<double>()};
}

}  // namespace

VerifyReport VerifyOnData(const std::shared_ptr<const Graph>& graph,
                          const Checkpoint& model, const Alignment& alignment,
                          const Dataset& data,
                          const Normalization& normalization, const Run& run,
                          double tolerance) {
  const Classifier classifier(graph, data, {.precision = Precision::kFloat64});
  const auto load = [&](const Checkpoint& checkpoint) {
    return classifier.Prepare(Weights(graph, checkpoint, at::kDouble));
  };
  const auto before = load(model);
  // Rounding scaled weights to the model's type would be visible.
  const auto after = load(
      Permute(alignment.HasFactors() ? ConvertTypes(model, DType::kF64) : model,
              alignment, run));
  ThreadPool pool(run.threads);
  const int64_t batch = classifier.BatchSizeOr(kBatch);
  std::vector<Extremes> found(BatchCount(data, batch));
  ForBatches(
      pool, data, {.batch_size = batch, .normalization = normalization}, run,
      [&](int64_t index, const at::Tensor& examples, std::span<const int64_t>) {
        found[index] = Compare(classifier.Logits(before, examples),
                               classifier.Logits(after, examples));
      });
  Extremes all;
  for (const Extremes& part : found) {
    all = {Larger(all.largest, part.largest),
           Larger(all.difference, part.difference)};
  }
  if (!std::isfinite(all.largest)) {
    throw Error(ErrorCode::kBadInput,
                "the model's outputs on this data are not finite, so the "
                "permuted model cannot be compared with it");
  }
  Shape shape = data.example_shape();
  shape.insert(shape.begin(), data.size());
  const ValueId output = graph->outputs().front();
  return {.input_shapes = {{shape}},
          .outputs = {{.name = graph->values()[output].name,
                       .shape = {data.size(), classifier.classes()},
                       .largest = all.largest,
                       .difference = all.difference}},
          .same = all.difference <= tolerance * all.largest,
          .runs = 1,
          .own = true};
}

}  // namespace rebasin::nn
