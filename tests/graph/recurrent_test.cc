#include <gtest/gtest.h>

#include <cmath>

#include "graph/run_op.h"

namespace rebasin::testing {
namespace {

Attribute Text(std::string text) { return text; }

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Two steps of one number, a state of one number.
Array Steps() { return Floats({2, 1, 1}, {0.5, -1}); }

TEST(Recurrent, RnnRunsInBothDirections) {
  const std::vector<Arg> inputs = {Steps(), Floats({2, 1, 1}, {1, 2}),
                                   Floats({2, 1, 1}, {0.5, 0.25}),
                                   Floats({2, 2}, {0.1, 0.2, 0, 0})};
  const double a = std::tanh(0.5 + 0.3);
  const double b = std::tanh(-1 + 0.5 * a + 0.3);
  const double d = std::tanh(-2.0);
  const double c = std::tanh(1 + 0.25 * d);
  const auto results =
      RunAll("RNN", inputs, {{"direction", Text("bidirectional")}}, 2);
  EXPECT_THAT(results[0], Is({2, 2, 1, 1}, {a, c, b, d}));
  EXPECT_THAT(results[1], Is({2, 1, 1}, {b, c}));
}

TEST(Recurrent, RnnTakesOtherActivations) {
  EXPECT_THAT(
      RunOp("RNN",
            {Steps(), Floats({1, 1, 1}, {1}), Floats({1, 1, 1}, {1}), kNone,
             kNone, Floats({1, 1, 1}, {2})},
            {{"activations", Text("Relu")}, {"direction", Text("reverse")}}),
      Is({2, 1, 1, 1}, {1.5, 1}));
}

TEST(Recurrent, LstmHasFourGates) {
  // Weights of input, output, forget, cell.
  const auto results =
      RunAll("LSTM",
             {Floats({1, 1, 1}, {2}), Floats({1, 4, 1}, {1, 2, 3, 4}),
              Floats({1, 4, 1}, {5, 6, 7, 8}), kNone, kNone,
              Floats({1, 1, 1}, {0.1}), Floats({1, 1, 1}, {0.3})},
             {}, 3);
  const double c = Sigmoid(6.7) * 0.3 + Sigmoid(2.5) * std::tanh(8.8);
  const double h = Sigmoid(4.6) * std::tanh(c);
  EXPECT_THAT(results[0], Is({1, 1, 1, 1}, {h}));
  EXPECT_THAT(results[1], Is({1, 1, 1}, {h}));
  EXPECT_THAT(results[2], Is({1, 1, 1}, {c}));
}

TEST(Recurrent, GruGatesTheStateOrItsProduct) {
  // Weights of update, reset, candidate; biases only of the state's product.
  const std::vector<Arg> inputs = {Floats({1, 1, 1}, {1}),
                                   Floats({1, 3, 1}, {1, 2, 3}),
                                   Floats({1, 3, 1}, {1, 1, 2}),
                                   Floats({1, 6}, {0, 0, 0, 0, 0, 0.5}),
                                   kNone,
                                   Floats({1, 1, 1}, {0.5})};
  const double z = Sigmoid(1.5);
  const double r = Sigmoid(2.5);
  const double before = std::tanh(3 + r * 0.5 * 2 + 0.5);
  const double after = std::tanh(3 + r * (0.5 * 2 + 0.5));
  EXPECT_THAT(RunOp("GRU", inputs),
              Is({1, 1, 1, 1}, {(1 - z) * before + z * 0.5}));
  EXPECT_THAT(RunOp("GRU", inputs, {{"linear_before_reset", int64_t{1}}}),
              Is({1, 1, 1, 1}, {(1 - z) * after + z * 0.5}));
}

TEST(Recurrent, NoStepsLeaveTheStateAsItWas) {
  const Array one = Floats({1, 1, 1}, {1});
  const auto results =
      RunAll("RNN", {Iota({0, 1, 1}), one, one, kNone, kNone, one}, {}, 2);
  EXPECT_THAT(results[0], Is({0, 1, 1, 1}, {}));
  EXPECT_THAT(results[1], Is({1, 1, 1}, {1}));
}

// Three steps of two sequences, of which the second has one step alone.
TEST(Recurrent, SequencesEndAtTheirLengths) {
  const std::vector<Arg> inputs = {Floats({3, 2, 1}, {1, 2, 3, 4, 5, 6}),
                                   Floats({2, 1, 1}, {1, 1}),
                                   Floats({2, 1, 1}, {10, 100}),
                                   kNone,
                                   Integers({3, 1}),
                                   Floats({2, 2, 1}, {0, 0.5, 0, 0.25})};
  const auto results = RunAll("RNN", inputs,
                              {{"direction", Text("bidirectional")},
                               {"activations", Text("Relu,Relu")}},
                              2);
  EXPECT_THAT(results[0],
              Is({3, 2, 2, 1}, {1, 7, 50301, 27, 13, 0, 503, 0, 135, 0, 5, 0}));
  EXPECT_THAT(results[1], Is({2, 2, 1}, {135, 7, 50301, 27}));
}

TEST(Recurrent, LstmsKeepTheCellsOfSequencesThatHaveEnded) {
  const auto run = [](std::vector<double> lengths) {
    return RunAll(
        "LSTM",
        {Floats({2, 2, 1}, {1, 2, 3, 4}), Floats({1, 4, 1}, {1, 2, 3, 4}),
         Floats({1, 4, 1}, {5, 6, 7, 8}), kNone, Integers(std::move(lengths))},
        {}, 3);
  };
  const auto cut = run({2, 1});
  const auto all = run({2, 2});
  EXPECT_EQ(cut[0].values()[0], all[0].values()[0]);
  EXPECT_EQ(cut[0].values()[3], 0);
  EXPECT_EQ(cut[1].values()[1], all[0].values()[1]);
  EXPECT_EQ(cut[2].values()[0], all[2].values()[0]);
  EXPECT_NE(cut[2].values()[1], all[2].values()[1]);
}

TEST(Recurrent, LengthsBeyondTheStepsAreCut) {
  const Array r = Floats({1, 1, 1}, {1});
  EXPECT_THAT(RunOp("RNN", {Steps(), r, r, kNone, Integers({9})},
                    {{"activations", Text("Relu")}}),
              Is({2, 1, 1, 1}, {0.5, 0}));
  EXPECT_THAT(RunOp("RNN", {Steps(), r, r, kNone, Integers({-1})}),
              Is({2, 1, 1, 1}, {0, 0}));
}

TEST(Recurrent, RefusesWhatDoesNotFit) {
  const Array r = Floats({1, 1, 1}, {1});
  ExpectBad("RNN", {Steps(), Iota({1, 2, 1}), r}, {},
            {"input 1 [1, 2, 1] should be [1, 1, 1]"});
  ExpectBad("RNN", {Iota({2, 1}), r, r}, {}, {"not of rank 3"});
  ExpectBad("RNN", {Steps(), r, r, kNone, Integers({1, 2})}, {},
            {"input 4 [2] should be [1]"});
  ExpectBad("RNN", {Steps(), r, r}, {{"direction", Text("up")}}, {"up"});
  ExpectBad("RNN", {Steps(), kNone, r}, {}, {"input 1 is missing"});
  ExpectBad("RNN", {Steps(), r, r}, {{"activations", Text("")}}, {"too few"});
}

TEST(Recurrent, SaysWhatCannotBeRun) {
  const Array r = Floats({1, 1, 1}, {1});
  ExpectUnsupported("RNN", {Steps(), r, r}, {{"activations", Text("Elu")}},
                    {"cannot run RNN", "\"Elu\" is not supported"});
  ExpectUnsupported("RNN", {Steps(), r, r}, {{"clip", 1.0}},
                    {"cannot run RNN", "clip is not supported"});
  ExpectUnsupported("RNN", {Steps(), r, r}, {{"layout", int64_t{1}}},
                    {"is unknown"});
}

const Attributes kBatchFirst = {{"time_axis", int64_t{1}},
                                {"batch_axis", int64_t{0}}};

TEST(ReverseSequence, ReversesEachSequenceUpToItsLength) {
  const Array x = Floats({3, 2}, {1, 10, 2, 20, 3, 30});
  EXPECT_THAT(RunOp("ReverseSequence", {x, Integers({3, 2})}),
              Is({3, 2}, {3, 20, 2, 10, 1, 30}));
  EXPECT_THAT(RunOp("ReverseSequence", {x, Integers({0, 1})}),
              Is({3, 2}, {1, 10, 2, 20, 3, 30}));
}

TEST(ReverseSequence, TakesTimeAsItsSecondAxis) {
  const Array x = Floats({2, 3, 1}, {1, 2, 3, 10, 20, 30});
  EXPECT_THAT(RunOp("ReverseSequence", {x, Integers({2, 3})}, kBatchFirst),
              Is({2, 3, 1}, {2, 1, 3, 30, 20, 10}));
}

TEST(ReverseSequence, RefusesLengthsThatDoNotFit) {
  const Array x = Iota({3, 2});
  ExpectBad("ReverseSequence", {x, Integers({1, 2, 3})}, {}, {"[3]", "[2]"});
  ExpectBad("ReverseSequence", {x, Integers({4, 1})}, {}, {"length 4"});
  ExpectBad("ReverseSequence", {x, Integers({1, -1})}, {}, {"length -1"});
  ExpectBad("ReverseSequence", {x, Integers({1, 1})},
            {{"time_axis", int64_t{2}}}, {"not the first two"});
}

}  // namespace
}  // namespace rebasin::testing
