// LibTorch's gradients against differences of the reference meanings.

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <random>
#include <set>

#include "graph/one_node.h"
#include "graph/ops/ops.h"
#include "nn/gradient_cases.h"
#include "nn/network.h"
#include "nn/tensors.h"

namespace rebasin::testing {

void PrintTo(const GradientCase& c, std::ostream* out) { *out << c.op; }

Array Random(Shape shape, double low, double high) {
  static std::mt19937 engine(1);
  std::uniform_real_distribution<double> number(low, high);
  int64_t size = 1;
  for (int64_t s : shape) size *= s;
  std::vector<double> values(size);
  for (double& value : values) value = number(engine);
  return Floats(std::move(shape), std::move(values));
}

namespace {

std::vector<GradientCase> AllCases() {
  std::vector<GradientCase> cases;
  for (const auto& family :
       {ElementwiseGradients(), LayerGradients(), LayoutGradients()}) {
    cases.insert(cases.end(), family.begin(), family.end());
  }
  return cases;
}

// Numbers that make a sum of outputs depend on each in its own way.
double Factor(int64_t output, int64_t i) {
  return std::sin(static_cast<double>(7 * output + 3 * i + 1));
}

// The sum of all floats that come out, each times its factor.
double Loss(const OneNode& one) {
  double loss = 0;
  const std::vector<Array> outputs = RunOneNode(one);
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o].kind != Kind::kFloat) continue;
    for (int64_t i = 0; i < outputs[o].size(); ++i) {
      loss += outputs[o].values()[i] * Factor(static_cast<int64_t>(o), i);
    }
  }
  return loss;
}

at::Tensor Loss(const std::vector<at::Tensor>& outputs) {
  at::Tensor loss = at::zeros({}, at::kDouble);
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (!at::isFloatingType(outputs[o].scalar_type())) continue;
    std::vector<double> factors(outputs[o].numel());
    for (size_t i = 0; i < factors.size(); ++i) {
      factors[i] = Factor(static_cast<int64_t>(o), static_cast<int64_t>(i));
    }
    loss =
        loss + (outputs[o].flatten() * at::tensor(factors, at::kDouble)).sum();
  }
  return loss;
}

// The loss with one number of an input moved by `step`.
double Moved(OneNode one, size_t input, size_t i, double step) {
  const Array& array = one.inputs[input];
  std::vector<double> values = array.values();
  values[i] += step;
  one.inputs[input] = MakeArray(array.kind, array.shape, std::move(values));
  return Loss(one);
}

at::Tensor Differences(const OneNode& one, size_t input) {
  constexpr double kStep = 1e-5;
  const Array& array = one.inputs[input];
  std::vector<double> slopes(array.size());
  for (size_t i = 0; i < slopes.size(); ++i) {
    slopes[i] = (Moved(one, input, i, kStep) - Moved(one, input, i, -kStep)) /
                (2 * kStep);
  }
  return nn::FromArray(Floats(array.shape, std::move(slopes)), at::kDouble);
}

// The gradients of the loss, zeros where it does not depend on an input;
// undefined for inputs that are not floats.
std::vector<at::Tensor> Gradients(const OneNode& one) {
  std::vector<at::Tensor> inputs, floats;
  for (const Array& array : one.inputs) {
    at::Tensor input = nn::FromArray(array, at::kDouble);
    if (array.kind == Kind::kFloat) {
      floats.push_back(input.requires_grad_());
    }
    inputs.push_back(input);
  }
  const nn::Network network(std::make_shared<const Graph>(one.graph),
                            Precision::kFloat64);
  const at::Tensor loss = Loss(network.Run({}, inputs));
  if (!loss.requires_grad()) {
    for (at::Tensor& tensor : floats) tensor = at::zeros_like(tensor);
    return floats;
  }
  auto gradients = torch::autograd::grad({loss}, floats, {}, {}, false, true);
  for (size_t i = 0; i < floats.size(); ++i) {
    if (!gradients[i].defined()) gradients[i] = at::zeros_like(floats[i]);
  }
  return gradients;
}

class GradientTest : public ::testing::TestWithParam<GradientCase> {};

TEST_P(GradientTest, IsTheReferencesSlope) {
  const GradientCase& c = GetParam();
  const OneNode one = MakeGraph(c.op, c.inputs, c.attributes, c.outputs, true);
  const std::vector<at::Tensor> gradients = Gradients(one);
  size_t next = 0;
  for (size_t i = 0; i < one.inputs.size(); ++i) {
    if (one.inputs[i].kind != Kind::kFloat) continue;
    const at::Tensor expected = Differences(one, i);
    const at::Tensor& found = gradients[next++];
    const double scale = std::max(expected.abs().max().item<double>(), 1e-3);
    EXPECT_LE((found - expected).abs().max().item<double>(), 1e-5 * scale)
        << "input " << i << "\nfound\n"
        << found << "\nexpected\n"
        << expected;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GradientTest, ::testing::ValuesIn(AllCases()));

// BatchNormalization is in batch_norm_test: its statistics have no gradient.
TEST(Gradients, AreTestedForAllOperatorsThatHaveOne) {
  std::set<std::string> missing;
  for (const std::span<const Operator> family : AllOperators()) {
    for (const Operator& op : family) {
      if (op.facts.lowered != LoweredBy::kTensors) continue;
      missing.insert(std::string(op.name));
    }
  }
  for (const GradientCase& c : AllCases()) missing.erase(c.op);
  EXPECT_THAT(missing, ::testing::ElementsAre("BatchNormalization"));
}

}  // namespace
}  // namespace rebasin::testing
