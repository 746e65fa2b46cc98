#include "rebasin/nn/evaluate.h"

#include <ATen/ATen.h>

#include <utility>

#include "nn/batches.h"
#include "nn/evaluator.h"
#include "nn/score.h"
#include "rebasin/error.h"

namespace rebasin::nn {
namespace {

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
                     const EvaluateOptions& options, const rebasin::Run& run,
                     bool own_statistics)
    : data_(std::move(data)),
      options_(options),
      run_(run),
      classifier_(std::move(graph), data_, options.compute),
      pool_(run.threads) {
  if (own_statistics) own_ = StatisticWeights(classifier_.network().graph());
  RequireLabels(data_, classifier_.classes());
  if (options_.batch_size == 0 || classifier_.fixed_batch() > 0) {
    options_.batch_size = classifier_.CacheFittingBatch();
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

at::Tensor Evaluator::LogitsOf(const std::vector<at::Tensor>& model,
                               const at::Tensor& examples) const {
  if (own_.empty()) return classifier_.Logits(model, examples);
  // Running with batch statistics updates the running ones, so each of the
  // parallel batches gets its own copy of these.
  std::vector<at::Tensor> weights = model;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (own_[i]) weights[i] = weights[i].clone();
  }
  return classifier_.Logits(weights, examples,
                            {.batch_norm = {.batch_statistics = true}});
}

// The logits of one model; for several models the logarithm of their mean
// probability, which can be used as logits.
at::Tensor Evaluator::JointLogits(
    std::span<const std::vector<at::Tensor>> models,
    const at::Tensor& examples) const {
  if (models.size() == 1) {
    return LogitsOf(models.front(), examples).to(at::kFloat);
  }
  at::Tensor sum;
  for (const std::vector<at::Tensor>& model : models) {
    const at::Tensor shares =
        at::softmax(LogitsOf(model, examples).to(at::kDouble), 1);
    sum = sum.defined() ? sum + shares : shares;
  }
  return at::log(sum / static_cast<double>(models.size())).to(at::kFloat);
}

Evaluation Evaluator::RunPrepared(
    std::span<const std::vector<at::Tensor>> models) {
  const Score none(options_.bins, options_.find_temperature,
                   options_.keep_predictions);
  std::vector<Score> scores(BatchCount(data_, options_.batch_size), none);
  ForBatches(pool_, data_,
             {.batch_size = options_.batch_size,
              .normalization = options_.normalization,
              .stage = "evaluating"},
             run_,
             [&](int64_t index, const at::Tensor& examples,
                 std::span<const int64_t> labels) {
               AddRows(JointLogits(models, examples), labels, scores[index]);
             });
  Score sum = none;
  for (const Score& score : scores) sum.Add(score);
  return sum.Result();
}

}  // namespace rebasin::nn

namespace rebasin {

Evaluation Evaluate(const std::shared_ptr<const Graph>& graph,
                    const Checkpoint& model, const Dataset& data,
                    const EvaluateOptions& options, const Run& run) {
  nn::Evaluator evaluator(graph, data, options, run);
  return evaluator.Run(nn::Weights(graph, model));
}

Evaluation EvaluateEnsemble(const std::shared_ptr<const Graph>& graph,
                            std::span<const Checkpoint> models,
                            const Dataset& data, const EvaluateOptions& options,
                            const Run& run) {
  if (models.empty()) {
    throw Error(ErrorCode::kUsage, "an ensemble needs at least one model");
  }
  std::vector<nn::Weights> weights;
  for (const Checkpoint& model : models) weights.emplace_back(graph, model);
  nn::Evaluator evaluator(graph, data, options, run);
  return evaluator.RunEnsemble(weights);
}

}  // namespace rebasin
