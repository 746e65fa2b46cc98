#include "rebasin/evaluate.h"

#include <ATen/ATen.h>

#include <utility>

#include "nn/batches.h"
#include "nn/evaluator.h"
#include "nn/score.h"
#include "rebasin/error.h"

namespace rebasin::nn {
namespace {

// Logits of one model; of several, the logarithm of their mean probability,
// which serves as logits.
at::Tensor JointLogits(const Classifier& classifier,
                       std::span<const std::vector<at::Tensor>> models,
                       const at::Tensor& examples) {
  if (models.size() == 1) {
    return classifier.Logits(models.front(), examples).to(at::kFloat);
  }
  at::Tensor sum;
  for (const std::vector<at::Tensor>& model : models) {
    const at::Tensor shares =
        at::softmax(classifier.Logits(model, examples).to(at::kDouble), 1);
    sum = sum.defined() ? sum + shares : shares;
  }
  return at::log(sum / static_cast<double>(models.size())).to(at::kFloat);
}

void AddRows(const at::Tensor& logits, std::span<const int64_t> labels,
             Score& score) {
  const at::Tensor rows = logits.cpu().contiguous();
  const auto classes = static_cast<size_t>(rows.size(1));
  const float* row = rows.data_ptr<float>();
  for (int64_t label : labels) {
    score.Add({row, classes}, label);
    row += classes;
  }
}

}  // namespace

Evaluator::Evaluator(std::shared_ptr<const Graph> graph, Dataset data,
                     const EvaluateOptions& options)
    : data_(std::move(data)),
      options_(options),
      classifier_(std::move(graph), data_, options.compute),
      pool_(options.compute.threads) {
  RequireLabels(data_, classifier_.classes());
  if (options_.batch_size == 0 || classifier_.fixed_batch() > 0) {
    options_.batch_size = classifier_.GoodBatch();
  }
}

Evaluation Evaluator::Run(const Weights& weights) {
  return RunPrepared({{classifier_.Prepare(weights)}});
}

Evaluation Evaluator::RunEnsemble(std::span<const Weights> models) {
  std::vector<std::vector<at::Tensor>> prepared;
  for (const Weights& model : models) {
    prepared.push_back(classifier_.Prepare(model));
  }
  return RunPrepared(prepared);
}

Evaluation Evaluator::RunPrepared(
    std::span<const std::vector<at::Tensor>> models) {
  const Score none(options_.bins, options_.find_temperature);
  std::vector<Score> scores(BatchCount(data_, options_.batch_size), none);
  ForBatches(pool_, data_,
             {.batch_size = options_.batch_size,
              .normalization = options_.normalization,
              .progress = options_.progress},
             [&](int64_t index, const at::Tensor& examples,
                 std::span<const int64_t> labels) {
               AddRows(JointLogits(classifier_, models, examples), labels,
                       scores[index]);
             });
  Score sum = none;
  for (const Score& score : scores) sum.Add(score);
  return sum.Result();
}

}  // namespace rebasin::nn

namespace rebasin {

Evaluation Evaluate(const std::shared_ptr<const Graph>& graph,
                    const Checkpoint& model, const Dataset& data,
                    const EvaluateOptions& options) {
  nn::Evaluator evaluator(graph, data, options);
  return evaluator.Run(nn::Weights(graph, model));
}

Evaluation EvaluateEnsemble(const std::shared_ptr<const Graph>& graph,
                            std::span<const Checkpoint> models,
                            const Dataset& data,
                            const EvaluateOptions& options) {
  if (models.empty()) {
    throw Error(ErrorCode::kUsage, "an ensemble has one model or more");
  }
  std::vector<nn::Weights> weights;
  for (const Checkpoint& model : models) weights.emplace_back(graph, model);
  nn::Evaluator evaluator(graph, data, options);
  return evaluator.RunEnsemble(weights);
}

}  // namespace rebasin
