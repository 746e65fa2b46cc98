#include <gtest/gtest.h>

#include "graph/run_op.h"

namespace rebasin::testing {
namespace {

struct Row {
  std::string op;
  Attributes attributes;
  std::vector<double> out;  // of {1, 5, -7} and {2, 5, 3}
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.op; }

class Pairs : public ::testing::TestWithParam<Row> {};

TEST_P(Pairs, AreWhatTheStandardSays) {
  const Row& row = GetParam();
  EXPECT_THAT(RunOp(row.op, {Floats({3}, {1, 5, -7}), Floats({3}, {2, 5, 3})},
                    row.attributes),
              Is({3}, row.out));
}

INSTANTIATE_TEST_SUITE_P(
    Binary, Pairs,
    ::testing::Values(
        Row{"Add", {}, {3, 10, -4}}, Row{"Sub", {}, {-1, 0, -10}},
        Row{"Mul", {}, {2, 25, -21}}, Row{"Div", {}, {0.5, 1, -7.0 / 3}},
        Row{"Pow", {}, {1, 3125, -343}}, Row{"Mod", {}, {1, 0, 2}},
        Row{"Mod", {{"fmod", int64_t{1}}}, {1, 0, -1}},
        Row{"Equal", {}, {0, 1, 0}}, Row{"Less", {}, {1, 0, 1}},
        Row{"LessOrEqual", {}, {1, 1, 1}}, Row{"Greater", {}, {0, 0, 0}},
        Row{"GreaterOrEqual", {}, {0, 1, 0}}, Row{"PRelu", {}, {1, 5, -21}},
        Row{"Min", {}, {1, 5, -7}}, Row{"Max", {}, {2, 5, 3}},
        Row{"Sum", {}, {3, 10, -4}}, Row{"Mean", {}, {1.5, 5, -2}}));

TEST(Binary, StretchesBothSides) {
  EXPECT_THAT(RunOp("Add", {Floats({2, 1}, {10, 20}), Floats({3}, {1, 2, 3})}),
              Is({2, 3}, {11, 12, 13, 21, 22, 23}));
}

TEST(Binary, RefusesShapesThatDoNotFit) {
  ExpectBad("Mul", {Iota({2, 3}), Iota({2})}, {},
            {"[2, 3] and [2] do not fit"});
}

TEST(Binary, IntegersDivideTowardsZero) {
  const Array quotient =
      RunOp("Div", {Integers({-7, 7, 8}), Integers({2, 2, 4})});
  EXPECT_THAT(quotient, Is({3}, {-3, 3, 2}));
  EXPECT_EQ(quotient.kind, Kind::kInteger);
}

TEST(Binary, ComparisonsGiveBooleans) {
  EXPECT_EQ(RunOp("Less", {Iota({2}), Iota({2})}).kind, Kind::kBoolean);
}

TEST(Binary, LogicWorksOnZeroAndTheRest) {
  const Array a = MakeArray(Kind::kBoolean, {4}, {0, 0, 1, 1});
  const Array b = MakeArray(Kind::kBoolean, {4}, {0, 1, 0, 1});
  EXPECT_THAT(RunOp("And", {a, b}), Is({4}, {0, 0, 0, 1}));
  EXPECT_THAT(RunOp("Or", {a, b}), Is({4}, {0, 1, 1, 1}));
  EXPECT_THAT(RunOp("Xor", {a, b}), Is({4}, {0, 1, 1, 0}));
}

TEST(Binary, ShiftsBits) {
  const Array x = Integers({1, 5, 16});
  const Array by = Integers({1, 2, 3});
  EXPECT_THAT(RunOp("BitShift", {x, by}, {{"direction", std::string("LEFT")}}),
              Is({3}, {2, 20, 128}));
  EXPECT_THAT(RunOp("BitShift", {x, by}, {{"direction", std::string("RIGHT")}}),
              Is({3}, {0, 1, 2}));
}

TEST(Binary, BitwiseOperatorsSeeTwosComplement) {
  const Array x = Integers({12, -1, 5}), y = Integers({10, 6, -2});
  EXPECT_THAT(RunOp("BitwiseAnd", {x, y}), Is({3}, {8, 6, 4}));
  EXPECT_THAT(RunOp("BitwiseOr", {x, y}), Is({3}, {14, -1, -1}));
  EXPECT_THAT(RunOp("BitwiseXor", {x, y}), Is({3}, {6, -7, -5}));
  ExpectBad("BitwiseAnd", {Floats({1}, {1}), y}, {}, {"not integers"});
}

TEST(Binary, SlopesNeverStretchTheInput) {
  EXPECT_THAT(
      RunOp("PRelu", {Floats({2, 2}, {-1, -2, 3, -4}), Floats({2}, {0.5, 2})}),
      Is({2, 2}, {-0.5, -4, 3, -8}));
  ExpectBad("PRelu", {Iota({2}), Iota({3, 2})}, {}, {"slope [3, 2]"});
}

TEST(Variadic, TakesAnyNumberOfInputs) {
  EXPECT_THAT(
      RunOp("Sum", {Iota({2}), Floats({}, {5}), Floats({2, 1}, {0, 1})}),
      Is({2, 2}, {5, 6, 6, 7}));
  EXPECT_THAT(RunOp("Max", {Floats({2}, {3, 4})}), Is({2}, {3, 4}));
}

TEST(Variadic, WhereChoosesElementByElement) {
  const Array condition = MakeArray(Kind::kBoolean, {2, 1}, {1, 0});
  EXPECT_THAT(RunOp("Where", {condition, Iota({2}), Floats({}, {9})}),
              Is({2, 2}, {0, 1, 9, 9}));
  ExpectBad("Where", {condition, Iota({2})}, {}, {"input 2 is missing"});
}

}  // namespace
}  // namespace rebasin::testing
