// Sequences that are still there when a graph runs.

#include "graph/sequences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/run_op.h"
#include "rebasin/error.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

using testing::Floats;
using testing::Integer;
using testing::Integers;
using testing::Iota;
using testing::Is;

Array Apply(const std::string& op, const std::vector<const Array*>& inputs,
            Attributes attributes = {}) {
  Node node;
  node.op = op;
  node.outputs = {0};
  node.attributes = std::move(attributes);
  EXPECT_TRUE(TakesSequences(node, inputs));
  return ApplyToSequences(node, inputs);
}

Array One(double value) { return Floats({1}, {value}); }

Array Numbers(std::vector<double> values) {
  Array sequence = Apply("SequenceEmpty", {});
  for (double value : values) {
    const Array item = One(value);
    sequence = Apply("SequenceInsert", {&sequence, &item});
  }
  return sequence;
}

Array Joined(const Array& sequence) {
  return Apply("ConcatFromSequence", {&sequence}, {{"axis", int64_t{0}}});
}

TEST(Sequences, KeepWhatIsInserted) {
  EXPECT_THAT(Joined(Numbers({3, 1, 2})), Is({3}, {3, 1, 2}));
}

TEST(Sequences, AreInsertedIntoAndErasedFromAtPositions) {
  const Array numbers = Numbers({3, 1});
  const Array item = One(7), first = Integer(0), last = Integer(-1),
              end = Integer(2);
  EXPECT_THAT(Joined(Apply("SequenceInsert", {&numbers, &item, &first})),
              Is({3}, {7, 3, 1}));
  EXPECT_THAT(Joined(Apply("SequenceInsert", {&numbers, &item, &last})),
              Is({3}, {3, 7, 1}));
  EXPECT_THAT(Joined(Apply("SequenceInsert", {&numbers, &item, &end})),
              Is({3}, {3, 1, 7}));
  EXPECT_THAT(Joined(Apply("SequenceErase", {&numbers, &first})), Is({1}, {1}));
  EXPECT_THAT(Joined(Apply("SequenceErase", {&numbers})), Is({1}, {3}));
}

TEST(Sequences, AreReadAtPositions) {
  const Array numbers = Numbers({3, 1});
  const Array last = Integer(-1);
  EXPECT_THAT(Apply("SequenceAt", {&numbers, &last}), Is({1}, {1}));
  EXPECT_THAT(Apply("SequenceLength", {&numbers}), Is({}, {2}));
  const Array beyond = Integer(2);
  ExpectError(ErrorCode::kBadInput,
              {"position 2 is out of range for 2 positions"}, [&] {
                Apply("SequenceAt", {&numbers, &beyond});
              });
}

TEST(Sequences, AreStacked) {
  const Array numbers = Numbers({3, 1});
  EXPECT_THAT(Apply("ConcatFromSequence", {&numbers},
                    {{"axis", int64_t{1}}, {"new_axis", int64_t{1}}}),
              Is({1, 2}, {3, 1}));
}

TEST(Sequences, AreThePartsOfATensor) {
  const Array x = Iota({2, 3}), two = Integer(2), sizes = Integers({1, 2});
  const Attributes columns = {{"axis", int64_t{1}}};
  const Array last = Integer(-1);
  const Array parts = Apply("SplitToSequence", {&x, &two}, columns);
  EXPECT_THAT(Apply("SequenceAt", {&parts, &last}), Is({2, 1}, {2, 5}));
  const Array listed = Apply("SplitToSequence", {&x, &sizes}, columns);
  EXPECT_THAT(Apply("SequenceAt", {&listed, &last}), Is({2, 2}, {1, 2, 4, 5}));
  const Array rows = Apply("SplitToSequence", {&x}, {{"keepdims", int64_t{0}}});
  EXPECT_THAT(Apply("SequenceAt", {&rows, &last}), Is({3}, {3, 4, 5}));
}

TEST(Sequences, PartsThatDoNotFitAreRefused) {
  const Array x = Iota({3}), sizes = Integers({2, 2}), none = Integer(0);
  ExpectError(ErrorCode::kBadInput, {"do not fit [3]"}, [&] {
    Apply("SplitToSequence", {&x, &sizes});
  });
  ExpectError(ErrorCode::kBadInput, {"the size of its parts is not positive"},
              [&] {
                Apply("SplitToSequence", {&x, &none});
              });
}

TEST(Sequences, AreNoTensors) {
  const Array numbers = Numbers({3, 1});
  ExpectError(ErrorCode::kBadInput,
              {"it takes tensors, but an input is a sequence"},
              [&] { Apply("Relu", {&numbers}); });
  const Array x = Iota({3});
  ExpectError(ErrorCode::kBadInput, {"is not a sequence"},
              [&] { Apply("SequenceLength", {&x}); });
}

TEST(Sequences, AreBounded) {
  Array sequence = Apply("SequenceEmpty", {});
  const Array item = One(0);
  ExpectError(ErrorCode::kUnsupported, {"a sequence that is too long"}, [&] {
    for (int i = 0; i < 5000; ++i) {
      sequence = Apply("SequenceInsert", {&sequence, &item});
    }
  });
}

}  // namespace
}  // namespace rebasin
