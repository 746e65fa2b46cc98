// BatchNormalization as it is evaluated and as it is trained.

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <memory>

#include "graph/one_node.h"
#include "nn/network.h"
#include "nn/tensors.h"

namespace rebasin::nn {
namespace {

constexpr double kEpsilon = 1e-5;

// Inputs x, scale, bias, mean and variance, all random.
class BatchNormTest : public ::testing::Test {
 protected:
  BatchNormTest() {
    at::manual_seed(1);
    inputs_ = {at::randn({4, 3, 2, 2}, at::kDouble),
               at::randn({3}, at::kDouble), at::randn({3}, at::kDouble),
               at::randn({3}, at::kDouble), at::rand({3}, at::kDouble) + 0.5};
    for (size_t i = 0; i < 3; ++i) inputs_[i].requires_grad_();
  }

  at::Tensor Run(const RunOptions& options) const {
    std::vector<testing::Arg> args;
    for (const at::Tensor& input : inputs_) {
      args.push_back(ToArray(input, Kind::kFloat));
    }
    const auto one =
        testing::MakeGraph("BatchNormalization", args, {}, 1, true);
    const Network network(std::make_shared<const Graph>(one.graph),
                          Precision::kFloat64);
    return network.Run({}, inputs_, options)[0];
  }

  // The definition, for a mean and a variance of each channel.
  at::Tensor Normal(const at::Tensor& mean, const at::Tensor& variance) const {
    const auto wide = [](const at::Tensor& t) { return t.reshape({3, 1, 1}); };
    return (inputs_[0] - wide(mean)) / (wide(variance) + kEpsilon).sqrt() *
               wide(inputs_[1]) +
           wide(inputs_[2]);
  }

  void ExpectSame(const at::Tensor& found, const at::Tensor& expected) const {
    EXPECT_TRUE(at::allclose(found, expected, 1e-9, 1e-12));
    const std::vector<at::Tensor> trained(inputs_.begin(), inputs_.begin() + 3);
    const at::Tensor factors = at::randn(found.sizes(), at::kDouble);
    const auto slopes = [&](const at::Tensor& out) {
      return torch::autograd::grad({(out * factors).sum()}, trained);
    };
    const auto a = slopes(found), b = slopes(expected);
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_TRUE(at::allclose(a[i], b[i], 1e-9, 1e-12)) << "input " << i;
    }
  }

  std::vector<at::Tensor> inputs_;
};

TEST_F(BatchNormTest, UsesItsRunningStatistics) {
  const at::Tensor mean = inputs_[3].clone();
  ExpectSame(Run({}), Normal(inputs_[3], inputs_[4]));
  EXPECT_TRUE(at::equal(inputs_[3], mean));
}

TEST_F(BatchNormTest, UsesThoseOfTheBatchAndMovesItsOwn) {
  const at::Tensor& x = inputs_[0];
  const at::Tensor mean = x.mean(std::vector<int64_t>{0, 2, 3});
  const at::Tensor variance =
      x.var(std::vector<int64_t>{0, 2, 3}, /*unbiased=*/false);
  // What runs is the estimate for all data, not the variance of the batch.
  const double count = 4 * 2 * 2;
  const at::Tensor estimate = variance * (count / (count - 1));
  const at::Tensor old_mean = inputs_[3].clone();
  const at::Tensor old_variance = inputs_[4].clone();
  RunOptions options;
  options.batch_norm = {.batch_statistics = true, .momentum = 0.25};
  ExpectSame(Run(options), Normal(mean, variance));
  EXPECT_TRUE(at::allclose(inputs_[3], old_mean * 0.75 + mean * 0.25));
  EXPECT_TRUE(at::allclose(inputs_[4], old_variance * 0.75 + estimate * 0.25));
}

}  // namespace
}  // namespace rebasin::nn
