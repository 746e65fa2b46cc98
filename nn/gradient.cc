#include "nn/gradient.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "nn/threads.h"
#include "rebasin/repair.h"

namespace rebasin::nn {
namespace {

// Two parts if they are not too small for vector instructions; more only if
// parts have the usual size, because adding gradients takes time.
constexpr int64_t kMinPart = 25, kUsualPart = 50, kMaxParts = 4;

int64_t PartsOf(int64_t batch) {
  const int64_t least = batch < 2 * kMinPart ? 1 : 2;
  return std::clamp(batch / kUsualPart, least, kMaxParts);
}

}  // namespace

GradientMaker::GradientMaker(const Classifier& classifier,
                             const Weights& weights, int threads)
    : classifier_(classifier),
      whole_(HasBatchNorm(classifier.network().graph())),
      threads_(ThreadCount(threads)),
      pool_(whole_ ? 1 : threads_),
      statistics_(weights.statistics()) {
  for (size_t i = 0; i < weights.tensors().size(); ++i) {
    // Shares the memory, but not the autograd history.
    at::Tensor leaf = weights.tensors()[i].detach();
    if (!statistics_[i]) {
      leaf.set_requires_grad(true);
      trained_.push_back(leaf);
      trained_at_.push_back(i);
    }
    leaves_.push_back(std::move(leaf));
  }
}

// If preparing made copies, BatchNorm has updated the copies.
void GradientMaker::KeepStatistics(std::span<const at::Tensor> prepared) const {
  const c10::NoGradGuard no_gradients;
  for (size_t i = 0; i < leaves_.size(); ++i) {
    const bool copied = !prepared[i].is_same(leaves_[i]);
    if (statistics_[i] && copied) leaves_[i].copy_(prepared[i]);
  }
}

BatchGradient GradientMaker::RunPart(const at::Tensor& examples,
                                     const at::Tensor& labels, int64_t batch,
                                     bool own_statistics) const {
  const c10::AutoGradMode with_gradients(true);
  // Casts and moves to a device must be visible to autograd.
  const std::vector<at::Tensor> prepared = classifier_.Prepare(leaves_);
  const at::Tensor logits = classifier_.Logits(
      prepared, examples, {.batch_norm = {.batch_statistics = own_statistics}});
  if (own_statistics) KeepStatistics(prepared);
  const at::Tensor targets = labels.to(classifier_.network().device());
  const at::Tensor loss =
      at::cross_entropy_loss(logits, targets, {}, at::Reduction::Sum) /
      static_cast<double>(batch);
  BatchGradient result{
      .loss = loss.item<double>(),
      .correct = logits.detach().argmax(1).eq(targets).sum().item<int64_t>()};
  result.gradients.resize(leaves_.size());
  if (!std::isfinite(result.loss)) return result;
  const std::vector<at::Tensor> found = torch::autograd::grad(
      {loss}, trained_, /*grad_outputs=*/{}, /*retain_graph=*/c10::nullopt,
      /*create_graph=*/false, /*allow_unused=*/true);
  for (size_t i = 0; i < found.size(); ++i) {
    result.gradients[trained_at_[i]] = found[i];
  }
  return result;
}

BatchGradient GradientMaker::Run(const at::Tensor& examples,
                                 const at::Tensor& labels,
                                 bool own_statistics) {
  const BlasThreads serial_blas(1);
  const int64_t batch = examples.size(0);
  if (whole_) {
    const OperatorThreads operator_threads(threads_);
    return RunPart(examples, labels, batch, own_statistics);
  }
  const int64_t count = PartsOf(batch);
  std::vector<BatchGradient> parts(count);
  pool_.For(count, [&](int64_t p) {
    const OperatorThreads one_thread(1);
    const int64_t begin = batch * p / count;
    const int64_t size = batch * (p + 1) / count - begin;
    parts[p] = RunPart(examples.narrow(0, begin, size),
                       labels.narrow(0, begin, size), batch, own_statistics);
  });
  AddUp(parts);
  return std::move(parts.front());
}

BatchGradient GradientMaker::Run(const Batch& batch, bool own_statistics) {
  // LibTorch has no type for read-only memory; it only reads this.
  const auto elements = static_cast<int64_t>(batch.examples.size());
  const at::Tensor examples =
      at::from_blob(const_cast<float*>(batch.examples.data()),
                    {batch.size, elements / batch.size}, at::kFloat);
  const at::Tensor labels = at::from_blob(
      const_cast<int64_t*>(batch.labels.data()), {batch.size}, at::kLong);
  return Run(examples, labels, own_statistics);
}

// Adds all parts to the first, in order.
void GradientMaker::AddUp(std::vector<BatchGradient>& parts) {
  BatchGradient& sum = parts.front();
  for (size_t p = 1; p < parts.size(); ++p) {
    sum.loss += parts[p].loss;
    sum.correct += parts[p].correct;
  }
  if (parts.size() == 1 || !std::isfinite(sum.loss)) return;
  pool_.For(static_cast<int64_t>(leaves_.size()), [&](int64_t i) {
    const c10::NoGradGuard no_gradients;
    const OperatorThreads one_thread(1);
    at::Tensor& into = sum.gradients[i];
    if (!into.defined()) return;
    for (size_t p = 1; p < parts.size(); ++p) {
      // A gradient may be a view of memory that others use.
      into = p == 1 ? into + parts[p].gradients[i]
                    : into.add_(parts[p].gradients[i]);
    }
  });
}

}  // namespace rebasin::nn
