#include "nn/optimizer.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "base/target_clones.h"

namespace rebasin::nn {
namespace {

// Elements for each task of a thread: a few pages.
constexpr int64_t kGrain = 1 << 15;

struct SgdRule {
  float rate, momentum, decay;
};

REBASIN_TARGET_CLONES("avx512f", "avx2", "default")
void SgdPart(const SgdRule& rule, int64_t size, const float* gradient,
             float* __restrict weight, float* __restrict velocity) {
  for (int64_t i = 0; i < size; ++i) {
    const float g = gradient[i] + rule.decay * weight[i];
    velocity[i] = rule.momentum * velocity[i] + g;
    weight[i] -= rule.rate * velocity[i];
  }
}

// Adam (Kingma and Ba 2015). `rate` and `root_scale` include the bias
// corrections.
struct AdamRule {
  float rate, root_scale, decay;
  float beta1 = 0.9F, beta2 = 0.999F, epsilon = 1e-8F;
};

REBASIN_TARGET_CLONES("avx512f", "avx2", "default")
void AdamPart(const AdamRule& rule, int64_t size, const float* gradient,
              float* __restrict weight, float* __restrict first,
              float* __restrict second) {
  for (int64_t i = 0; i < size; ++i) {
    const float g = gradient[i] + rule.decay * weight[i];
    first[i] = rule.beta1 * first[i] + (1 - rule.beta1) * g;
    second[i] = rule.beta2 * second[i] + (1 - rule.beta2) * g * g;
    weight[i] -= rule.rate * first[i] /
                 (std::sqrt(second[i]) * rule.root_scale + rule.epsilon);
  }
}

}  // namespace

Optimizer::Optimizer(const Recipe& recipe, const Weights& weights)
    : recipe_(recipe), first_(at::zeros({weights.trained()})) {
  if (recipe.optimizer == OptimizerKind::kAdam) {
    second_ = at::zeros({weights.trained()});
  }
}

void Optimizer::Restore(const at::Tensor& first, const at::Tensor& second,
                        int64_t steps) {
  first_ = first;
  second_ = second;
  steps_ = steps;
}

void Optimizer::Step(const Weights& weights,
                     std::span<const at::Tensor> gradients,
                     double learning_rate) {
  ++steps_;
  const auto steps = static_cast<double>(steps_);
  const SgdRule sgd{.rate = static_cast<float>(learning_rate),
                    .momentum = static_cast<float>(recipe_.momentum),
                    .decay = static_cast<float>(recipe_.weight_decay)};
  const AdamRule adam{
      .rate = static_cast<float>(learning_rate / (1 - std::pow(0.9, steps))),
      .root_scale =
          static_cast<float>(1 / std::sqrt(1 - std::pow(0.999, steps))),
      .decay = static_cast<float>(recipe_.weight_decay)};
  float* const base = weights.flat().data_ptr<float>();
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    const at::Tensor gradient = gradients[i].contiguous();
    const float* const from = gradient.data_ptr<float>();
    float* const weight = weights.tensors()[i].data_ptr<float>();
    const int64_t offset = weight - base;
    float* const first = first_.data_ptr<float>() + offset;
    float* const second =
        second_.defined() ? second_.data_ptr<float>() + offset : nullptr;
    at::parallel_for(
        0, gradient.numel(), kGrain, [&](int64_t begin, int64_t end) {
          if (second == nullptr) {
            SgdPart(sgd, end - begin, from + begin, weight + begin,
                    first + begin);
          } else {
            AdamPart(adam, end - begin, from + begin, weight + begin,
                     first + begin, second + begin);
          }
        });
  }
}

}  // namespace rebasin::nn
