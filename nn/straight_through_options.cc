#include "nn/straight_through_options.h"

#include <cmath>
#include <span>
#include <string>

#include "rebasin/error.h"

namespace rebasin::nn {
namespace {

double RootMeanSquare(const Weights& weights) {
  double squares = 0, elements = 0;
  for (size_t i = 0; i < weights.tensors().size(); ++i) {
    if (weights.statistics()[i]) continue;
    const at::Tensor& tensor = weights.tensors()[i];
    // Summed serially: LibTorch's sums depend on the number of threads.
    for (const float x : std::span(tensor.data_ptr<float>(), tensor.numel())) {
      squares += static_cast<double>(x) * x;
    }
    elements += static_cast<double>(tensor.numel());
  }
  return elements > 0 ? std::sqrt(squares / elements) : 0;
}

// Adam moves each weight by about the learning rate, so the default is relative
// to the weights.
double DefaultLearningRate(const StraightThroughOptions& options,
                           const Weights& a) {
  constexpr double kSgd = 0.3;
  if (options.optimizer == OptimizerKind::kSgd) return kSgd;
  // Latent weights that start at B must move far until another permutation is
  // nearer.
  const bool at_a = options.latent_start == StraightThroughStart::kModelA;
  const double share = at_a ? 0.03 : 0.2;
  const double scale = RootMeanSquare(a);
  return share * (scale > 0 ? scale : 1);
}

}  // namespace

void CheckOptions(const StraightThroughOptions& options) {
  const auto require = [](bool sound, const std::string& what) {
    if (!sound) throw Error(ErrorCode::kUsage, what);
  };
  require(options.max_epochs >= 1, "matching needs at least one epoch");
  require(options.batch_size >= 1, "a batch needs at least one example");
  require(options.learning_rate >= 0 && std::isfinite(options.learning_rate),
          "the learning rate must not be negative");
  require(options.momentum >= 0 && options.momentum < 1,
          "the momentum must be at least 0 and less than 1");
  require(options.lambda_low > 0 && options.lambda_high <= 1 &&
              options.lambda_low <= options.lambda_high,
          "lambda must be above 0 and at most 1, with the lower end first");
  require(options.evaluate_every >= 0,
          "the number of steps between evaluations must not be negative");
  require(options.patience >= 0, "the patience must not be negative");
  require(
      options.projection_share > 0 && std::isfinite(options.projection_share),
      "the share of the projection must be positive");
}

Recipe RecipeOf(const StraightThroughOptions& options, uint64_t seed,
                const Weights& a) {
  return {.optimizer = options.optimizer,
          .learning_rate = options.learning_rate > 0
                               ? options.learning_rate
                               : DefaultLearningRate(options, a),
          .momentum = options.momentum,
          .schedule = options.schedule,
          .epochs = options.max_epochs,
          .batch_size = options.batch_size,
          .seed = seed};
}

}  // namespace rebasin::nn
