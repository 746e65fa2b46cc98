// Least squares from sums, with errors that are counted in other ways.

#include "nn/normal_equations.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "nn/few_rows.h"
#include "support/expect_error.h"

namespace rebasin::nn {
namespace {

struct Problem {
  at::Tensor inputs, outputs;  // [1, 6, rows], [1, 4, rows]
};

// Outputs depend on inputs, but by no linear function.
Problem Curved(int64_t rows) {
  at::manual_seed(1);
  const at::Tensor inputs = at::randn({1, 6, rows}) + 0.7;
  const at::Tensor outputs = at::sin(at::matmul(at::randn({1, 4, 6}), inputs)) +
                             at::matmul(at::randn({1, 4, 6}), inputs) - 1.5;
  return {inputs, outputs};
}

LinearSystem SystemOf(const Problem& problem, bool with_bias = true) {
  return LinearSystem(MomentsOf(problem.inputs.clone(), problem.outputs), 1e-9,
                      with_bias);
}

at::Tensor Rectified(const at::Tensor& target, const at::Tensor& found) {
  return at::relu(target) - at::relu(found);
}

double SquareOf(const at::Tensor& errors) {
  return errors.square().sum().item<double>();
}

TEST(LinearSystem, ErrorsOfTheSolutionAreOrthogonalToInputs) {
  const Problem problem = Curved(300);
  const at::Tensor errors =
      problem.outputs - SystemOf(problem).Outputs(problem.inputs);
  const at::Tensor products =
      at::matmul(problem.inputs, errors.transpose(1, 2));
  EXPECT_LT(products.abs().max().item<double>(), 0.05);
  EXPECT_LT(errors.mean(2).abs().max().item<double>(), 1e-4);
}

TEST(LinearSystem, SumsOfBatchesAreThoseOfAllRows) {
  const Problem problem = Curved(300);
  Moments sum;
  for (int64_t begin = 0; begin < 300; begin += 100) {
    Add(MomentsOf(problem.inputs.narrow(2, begin, 100).clone(),
                  problem.outputs.narrow(2, begin, 100)),
        sum);
  }
  const LinearFit whole = SystemOf(problem).Fit();
  const LinearFit parts = LinearSystem(sum, 1e-9, true).Fit();
  EXPECT_TRUE(at::allclose(whole.weight, parts.weight, 1e-4, 1e-5));
  EXPECT_TRUE(at::allclose(whole.bias, parts.bias, 1e-4, 1e-5));
  EXPECT_TRUE(at::allclose(whole.variance, parts.variance, 1e-4, 1e-5));
}

TEST(LinearSystem, PlainErrorsImproveNothing) {
  const Problem problem = Curved(300);
  LinearSystem system = SystemOf(problem);
  const LinearFit before = system.Fit();
  const at::Tensor errors = problem.outputs - system.Outputs(problem.inputs);
  system.Improve(system.SumsOf(problem.inputs.clone(), errors), 1.7);
  EXPECT_TRUE(at::allclose(before.weight, system.Fit().weight, 1e-3, 1e-4));
  EXPECT_TRUE(at::allclose(before.bias, system.Fit().bias, 1e-3, 1e-4));
}

// Errors that are zero where both numbers are below zero: each step reduces the
// sum of their squares.
TEST(LinearSystem, RectifiedErrorsFallWithEveryStep) {
  const Problem problem = Curved(500);
  for (const bool with_bias : {true, false}) {
    LinearSystem system = SystemOf(problem, with_bias);
    const at::Tensor plain = system.Outputs(problem.inputs);
    double last = SquareOf(Rectified(problem.outputs, plain));
    for (int i = 0; i < 5; ++i) {
      const at::Tensor found = system.Outputs(problem.inputs);
      const at::Tensor errors = at::where(
          problem.outputs > 0, problem.outputs - found, -at::relu(found));
      system.Improve(system.SumsOf(problem.inputs.clone(), errors), 1);
      const double now =
          SquareOf(Rectified(problem.outputs, system.Outputs(problem.inputs)));
      EXPECT_LT(now, last) << "step " << i;
      last = now;
    }
  }
}

// Both ways to write the solution of ridge regression.
TEST(FewRowsSystem, HasTheSolutionOfTheNormalEquations) {
  for (const int64_t rows : {4, 40}) {
    for (const bool with_bias : {true, false}) {
      const Problem problem = Curved(rows);
      LinearSystem system(MomentsOf(problem.inputs.clone(), problem.outputs),
                          1e-3, with_bias);
      FewRowsSystem few({{problem.inputs}, {problem.outputs}}, 1e-3, with_bias);
      const at::Tensor errors = at::relu(problem.outputs);
      system.Improve(system.SumsOf(problem.inputs.clone(), errors), 0.5);
      few.Improve(few.SumsOf(problem.inputs, errors), 0.5);
      const LinearFit expected = system.Fit(), found = few.Fit();
      EXPECT_TRUE(at::allclose(found.weight, expected.weight, 1e-3, 1e-3));
      EXPECT_TRUE(at::allclose(found.bias, expected.bias, 1e-3, 1e-3));
      EXPECT_TRUE(at::allclose(found.mean, expected.mean, 1e-3, 1e-3));
      EXPECT_TRUE(at::allclose(found.variance, expected.variance, 1e-3, 1e-3));
    }
  }
}

TEST(LinearSystem, RefusesSumsThatAreNotFinite) {
  const Problem problem = Curved(50);
  problem.inputs[0][2][7] = INFINITY;
  ExpectError(ErrorCode::kBadInput, {"activations are NaN"},
              [&] { SystemOf(problem); });
}

}  // namespace
}  // namespace rebasin::nn
