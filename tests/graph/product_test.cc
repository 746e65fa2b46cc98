#include <gtest/gtest.h>

#include "base/random.h"
#include "graph/ops/multiply.h"
#include "graph/run_op.h"

namespace rebasin::testing {
namespace {

Attributes Equation(std::string text) { return {{"equation", text}}; }

TEST(MultiplyAdd, AgreesWithTheDefinition) {
  Random random(1);
  for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{
           {1, 1, 1}, {3, 9, 5}, {4, 8, 256}, {9, 17, 300}, {8, 3, 513}}) {
    std::vector<double> a(m * k), b(k * n), c(m * n, 1.0);
    for (double& x : a) x = random.Normal();
    for (double& x : b) x = random.Normal();
    MultiplyAdd(m, n, k, a.data(), b.data(), c.data());
    for (int64_t i = 0; i < m * n; ++i) {
      double sum = 1;
      for (int64_t p = 0; p < k; ++p) {
        sum += a[i / n * k + p] * b[p * n + i % n];
      }
      EXPECT_NEAR(c[i], sum, 1e-10);
    }
  }
}

TEST(MatMul, StretchesBatches) {
  EXPECT_THAT(RunOp("MatMul", {Iota({2, 1, 2}), Iota({2, 2})}),
              Is({2, 1, 2}, {2, 3, 6, 11}));
}

TEST(MatMul, TakesVectorsOnBothSides) {
  EXPECT_THAT(RunOp("MatMul", {Iota({3}), Iota({3})}), Is({}, {5}));
  EXPECT_THAT(RunOp("MatMul", {Iota({2}), Iota({2, 3})}), Is({3}, {3, 4, 5}));
  EXPECT_THAT(RunOp("MatMul", {Iota({2, 3}), Iota({3})}), Is({2}, {5, 14}));
}

TEST(MatMul, RefusesSizesThatDiffer) {
  ExpectBad("MatMul", {Iota({2, 3}), Iota({2, 3})}, {},
            {"cannot be multiplied"});
  ExpectBad("MatMul", {Floats({}, {1}), Iota({2})}, {}, {"scalar"});
}

TEST(Gemm, ScalesAndTransposes) {
  EXPECT_THAT(RunOp("Gemm", {Iota({3, 1}), Iota({2, 3}), Floats({2}, {1, 2})},
                    {{"alpha", 2.0},
                     {"beta", 10.0},
                     {"transA", int64_t{1}},
                     {"transB", int64_t{1}}}),
              Is({1, 2}, {20, 48}));
}

TEST(Gemm, NeedsNoC) {
  EXPECT_THAT(RunOp("Gemm", {Iota({1, 2}), Iota({2, 1})}), Is({1, 1}, {1}));
}

TEST(Gemm, RefusesWhatDoesNotFit) {
  ExpectBad("Gemm", {Iota({1, 2}), Iota({1, 2})}, {}, {"multiplied"});
  ExpectBad("Gemm", {Iota({2}), Iota({2, 1})}, {}, {"matrices"});
  ExpectBad("Gemm", {Iota({1, 2}), Iota({2, 1}), Iota({3})}, {},
            {"C [3] does not fit [1, 1]"});
}

TEST(Einsum, MultipliesSumsAndTransposes) {
  EXPECT_THAT(
      RunOp("Einsum", {Iota({2, 2}), Iota({2, 2})}, Equation("ij, jk -> ki")),
      Is({2, 2}, {2, 6, 3, 11}));
}

TEST(Einsum, TakesDiagonals) {
  EXPECT_THAT(RunOp("Einsum", {Iota({2, 2})}, Equation("ii->i")),
              Is({2}, {0, 3}));
  EXPECT_THAT(RunOp("Einsum", {Iota({2, 2})}, Equation("ii")), Is({}, {3}));
}

TEST(Einsum, SortsTheLettersOfAnOutputThatIsNotGiven) {
  EXPECT_THAT(RunOp("Einsum", {Iota({2, 3})}, Equation("ba")),
              Is({3, 2}, {0, 3, 1, 4, 2, 5}));
}

TEST(Einsum, StretchesTheAxesOfAnEllipsis) {
  EXPECT_THAT(RunOp("Einsum", {Iota({2, 1, 2}), Iota({2, 1})},
                    Equation("...ij,...jk->...ik")),
              Is({2, 1, 1}, {1, 3}));
}

TEST(Einsum, SumsTermsThatShareNothing) {
  EXPECT_THAT(RunOp("Einsum", {Iota({3}), Iota({2, 2}), Floats({1}, {2})},
                    Equation("a,bc,d->b")),
              Is({2}, {6, 30}));
}

TEST(Einsum, RefusesEquationsThatDoNotFit) {
  const std::vector<Arg> x = {Iota({2, 3})};
  ExpectBad("Einsum", x, Equation("ijk->i"), {"does not fit [2, 3]"});
  ExpectBad("Einsum", x, Equation("ii->i"), {"sizes 2 and 3"});
  ExpectBad("Einsum", x, Equation("ij->k"), {"a label that no input has"});
  ExpectBad("Einsum", x, Equation("ij->ii"), {"repeats a label"});
  ExpectBad("Einsum", x, Equation("i?->i"), {"an invalid character"});
  ExpectBad("Einsum", x, Equation("i,j"), {"term for each input"});
}

}  // namespace
}  // namespace rebasin::testing
