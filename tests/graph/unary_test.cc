#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/run_op.h"

namespace rebasin::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Row {
  std::string op;
  Attributes attributes;
  std::vector<double> in;
  std::vector<double> out;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.op; }

class EachElement : public ::testing::TestWithParam<Row> {};

TEST_P(EachElement, IsWhatTheStandardSays) {
  const Row& row = GetParam();
  const int64_t size = static_cast<int64_t>(row.in.size());
  EXPECT_THAT(RunOp(row.op, {Floats({size}, row.in)}, row.attributes),
              Is({size}, row.out));
}

INSTANTIATE_TEST_SUITE_P(
    Unary, EachElement,
    ::testing::Values(
        Row{"Relu", {}, {-1, 0, 2}, {0, 0, 2}},
        Row{"LeakyRelu", {}, {-1, 2}, {-0.01, 2}},
        Row{"LeakyRelu", {{"alpha", 0.5}}, {-1, 2}, {-0.5, 2}},
        Row{"Elu", {{"alpha", 2.0}}, {-1, 2}, {-1.2642411, 2}},
        Row{"Celu", {{"alpha", 2.0}}, {-1, 2}, {-0.7869387, 2}},
        Row{"Selu", {}, {-1, 2}, {-1.1113307, 2.1014020}},
        Row{"ThresholdedRelu", {{"alpha", 1.5}}, {1.5, 2}, {0, 2}},
        Row{"Sigmoid", {}, {0, 1}, {0.5, 0.7310586}},
        Row{"HardSigmoid", {}, {-9, 1, 9}, {0, 0.7, 1}},
        Row{"HardSwish", {}, {-4, 1, 4}, {0, 0.6666667, 4}},
        Row{"Tanh", {}, {0, 1}, {0, 0.7615942}},
        Row{"Softplus", {}, {0, 1000}, {0.6931472, 1000}},
        Row{"Softsign", {}, {-1, 3}, {-0.5, 0.75}},
        Row{"Gelu", {}, {-1, 1}, {-0.1586553, 0.8413447}},
        Row{"com.microsoft::Gelu", {}, {1}, {0.8413447}},
        Row{"Gelu", {{"approximate", std::string("tanh")}}, {1}, {0.8411920}},
        Row{"Mish", {}, {1}, {0.8650984}}, Row{"Erf", {}, {0.5}, {0.5204999}},
        Row{"Exp", {}, {1}, {2.7182818}}, Row{"Log", {}, {2}, {0.6931472}},
        Row{"Sqrt", {}, {9}, {3}}, Row{"Reciprocal", {}, {4}, {0.25}},
        Row{"Abs", {}, {-4}, {4}}, Row{"Neg", {}, {4}, {-4}},
        Row{"Sign", {}, {-3, 0, 3}, {-1, 0, 1}}, Row{"Floor", {}, {-1.5}, {-2}},
        Row{"Ceil", {}, {-1.5}, {-1}},
        Row{"Round", {}, {0.5, 1.5, 2.4}, {0, 2, 2}},
        Row{"Sin", {}, {1}, {0.8414710}}, Row{"Cos", {}, {1}, {0.5403023}},
        Row{"Tan", {}, {1}, {1.5574077}}, Row{"Asin", {}, {0.5}, {0.5235988}},
        Row{"Acos", {}, {0.5}, {1.0471976}}, Row{"Atan", {}, {1}, {0.7853982}},
        Row{"Sinh", {}, {1}, {1.1752012}}, Row{"Cosh", {}, {1}, {1.5430806}},
        Row{"Asinh", {}, {1}, {0.8813736}}, Row{"Acosh", {}, {2}, {1.3169579}},
        Row{"Atanh", {}, {0.5}, {0.5493061}}, Row{"Not", {}, {0, 1}, {1, 0}},
        Row{"IsNaN", {}, {kNan, 1, kInfinity}, {1, 0, 0}},
        Row{"IsInf", {}, {kNan, -kInfinity, kInfinity}, {0, 1, 1}},
        Row{"IsInf",
            {{"detect_negative", int64_t{0}}},
            {-kInfinity, kInfinity},
            {0, 1}},
        Row{"Shrink",
            {{"lambd", 1.0}, {"bias", 0.5}},
            {-2, -1, 1, 2},
            {-1.5, 0, 0, 1.5}},
        Row{"Identity", {}, {1, 2}, {1, 2}},
        Row{"Dropout", {}, {1, 2}, {1, 2}}));

TEST(Passing, DropoutKeepsEverything) {
  const auto results = RunAll("Dropout", {Floats({2}, {3, 0})}, {}, 2);
  EXPECT_THAT(results[0], Is({2}, {3, 0}));
  EXPECT_THAT(results[1], Is({2}, {1, 1}));
  EXPECT_EQ(results[1].kind, Kind::kBoolean);
}

TEST(Passing, CastCutsTowardsZero) {
  const Array x = Floats({3}, {-1.5, 0, 2.5});
  const Array whole = RunOp("Cast", {x}, {{"to", int64_t{7}}});
  EXPECT_THAT(whole, Is({3}, {-1, 0, 2}));
  EXPECT_EQ(whole.kind, Kind::kInteger);
  EXPECT_THAT(RunOp("Cast", {x}, {{"to", int64_t{9}}}), Is({3}, {1, 0, 1}));
  EXPECT_THAT(RunOp("CastLike", {x, Integer(3)}), Is({3}, {-1, 0, 2}));
}

TEST(Passing, CastBeginsAgainBeyondNarrowIntegers) {
  const Array x = Floats({4}, {-1, 127, 128, 300.5});
  EXPECT_THAT(RunOp("Cast", {x}, {{"to", int64_t{2}}}),
              Is({4}, {255, 127, 128, 44}));
  EXPECT_THAT(RunOp("Cast", {x}, {{"to", int64_t{3}}}),
              Is({4}, {-1, 127, -128, 44}));
  EXPECT_THAT(RunOp("Cast", {x}, {{"to", int64_t{5}}}),
              Is({4}, {-1, 127, 128, 300}));
}

TEST(Passing, CastRefusesStrings) {
  ExpectBad("Cast", {Floats({1}, {1})}, {{"to", int64_t{8}}},
            {"element type 8 is not a numeric type"});
}

TEST(Passing, ClipHasOptionalBounds) {
  const Array x = Floats({3}, {-5, 0, 5});
  EXPECT_THAT(RunOp("Clip", {x}), Is({3}, {-5, 0, 5}));
  EXPECT_THAT(RunOp("Clip", {x, Floats({}, {-1})}), Is({3}, {-1, 0, 5}));
  EXPECT_THAT(RunOp("Clip", {x, kNone, Floats({}, {1})}), Is({3}, {-5, 0, 1}));
}

TEST(Passing, TriluKeepsOneSideOfADiagonal) {
  const Array x = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(RunOp("Trilu", {x}), Is({2, 3}, {1, 2, 3, 0, 5, 6}));
  EXPECT_THAT(RunOp("Trilu", {x, Integer(1)}), Is({2, 3}, {0, 2, 3, 0, 0, 6}));
  EXPECT_THAT(RunOp("Trilu", {x, Integer(-1)}, {{"upper", int64_t{0}}}),
              Is({2, 3}, {0, 0, 0, 4, 0, 0}));
}

TEST(Passing, TriluRefusesVectors) {
  ExpectBad("Trilu", {Floats({1}, {1})}, {}, {"not a matrix"});
}

TEST(Unary, RefusesNoInput) {
  ExpectBad("Relu", {kNone}, {}, {"input 0 is missing"});
}

TEST(Unary, RefusesAttributesOfAnotherType) {
  ExpectBad("Elu", {Floats({1}, {1})}, {{"alpha", int64_t{1}}},
            {"attribute alpha has an unexpected type"});
}

}  // namespace
}  // namespace rebasin::testing
