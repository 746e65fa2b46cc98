#include "rebasin/alignment.h"

#include <gtest/gtest.h>

#include "rebasin/error.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::SymmetryPtr;

std::vector<SymmetryPtr> AllKinds() {
  return {testing::Mlp({5, 7, 6, 3}),
          testing::Attention(8, 3, 4),
          testing::GroupedQueryAttention(6, 2, 3, 4),
          testing::GroupedConvolution(3, 4),
          testing::Recurrent(3, 5, 2),
          testing::MakeSymmetry(
              {{"a", 3}, {"b", 2, 0}, {"c", 4, 1}, {"d", 5}},
              {{"w", {"a*b*c + d + 2", "d*3"}}, {"v", {"a*b*c", "a"}}})};
}

bool SameBytes(const Checkpoint& x, const Checkpoint& y) {
  for (size_t t = 0; t < x.tensors().size(); ++t) {
    const auto a = x.tensors()[t].bytes, b = y.tensors()[t].bytes;
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) return false;
  }
  return x.tensors().size() == y.tensors().size();
}

TEST(Alignment, InverseUndoesPermuting) {
  for (const SymmetryPtr& symmetry : AllKinds()) {
    const Checkpoint model = testing::RandomModel(*symmetry, 1);
    const auto alignment = Alignment::Random(symmetry, 2);
    const Checkpoint moved = testing::ReferencePermute(model, alignment);
    EXPECT_FALSE(SameBytes(moved, model));
    EXPECT_TRUE(SameBytes(testing::ReferencePermute(moved, alignment.Inverse()),
                          model));
  }
}

TEST(Alignment, ThenComposesInOrder) {
  for (const SymmetryPtr& symmetry : AllKinds()) {
    const Checkpoint model = testing::RandomModel(*symmetry, 1);
    const auto first = Alignment::Random(symmetry, 2);
    const auto second = Alignment::Random(symmetry, 3);
    const Checkpoint in_steps = testing::ReferencePermute(
        testing::ReferencePermute(model, first), second);
    EXPECT_TRUE(SameBytes(testing::ReferencePermute(model, first.Then(second)),
                          in_steps));
    EXPECT_TRUE(first.Then(first.Inverse()).IsIdentity());
    EXPECT_TRUE(first.Inverse().Then(first).IsIdentity());
  }
}

TEST(Alignment, JsonRoundTripKeepsEverything) {
  for (const SymmetryPtr& symmetry : AllKinds()) {
    const auto alignment = Alignment::Random(symmetry, 4);
    const auto read =
        Alignment::FromJson(alignment.ToJson("abc"), "test", "abc");
    // Groups come back in the order of their names.
    const Checkpoint model = testing::RandomModel(*symmetry, 1);
    EXPECT_TRUE(SameBytes(testing::ReferencePermute(model, alignment),
                          testing::ReferencePermute(model, read)));
  }
}

TEST(Alignment, CountsMovedUnitsIncludingThoseThatTravelWithTheirHead) {
  const auto symmetry =
      testing::MakeSymmetry({{"h", 3}, {"d", 2, 0}}, {{"w", {"h*d"}}});
  Alignment alignment(symmetry);
  EXPECT_TRUE(alignment.IsIdentity());
  std::swap(alignment.mutable_permutation(0)[0],
            alignment.mutable_permutation(0)[1]);
  EXPECT_EQ(alignment.UnitsMoved(0), 2);
  EXPECT_EQ(alignment.UnitsMoved(1), 4);
}

TEST(Fingerprint, DependsOnNamesAndShapesOnly) {
  const auto net = testing::Mlp({4, 8, 2});
  const Checkpoint model = testing::RandomModel(*net, 1);
  EXPECT_EQ(Fingerprint(model), Fingerprint(testing::RandomModel(*net, 2)));
  EXPECT_NE(Fingerprint(model),
            Fingerprint(testing::RandomModel(*testing::Mlp({4, 9, 2}), 1)));
}

std::string Replace(std::string text, const std::string& from,
                    const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

struct BadAlignment {
  const char* name;
  const char* from;
  const char* to;
  ErrorCode code;
};

class BadAlignments : public ::testing::TestWithParam<BadAlignment> {};

TEST_P(BadAlignments, AreRefused) {
  const auto net = testing::Mlp({2, 3, 2});
  const std::string good = Alignment(net).ToJson("f");
  const std::string bad = Replace(good, GetParam().from, GetParam().to);
  try {
    Alignment::FromJson(bad, "test", "f");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), GetParam().code) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadAlignments,
    ::testing::Values(BadAlignment{"J02_UnknownVersion", "\"version\": 1",
                                   "\"version\": 3", ErrorCode::kUnsupported},
                      BadAlignment{"J04_WrongLength", "[0,1,2]", "[0,1]",
                                   ErrorCode::kMismatch},
                      BadAlignment{"J15_MoreUnitsThanMemory", "\"P0\":3",
                                   "\"P0\":1000000000", ErrorCode::kLimit},
                      BadAlignment{"NotAPermutation", "[0,1,2]", "[0,1,1]",
                                   ErrorCode::kBadInput},
                      BadAlignment{"IndexOutOfRange", "[0,1,2]", "[0,1,3]",
                                   ErrorCode::kBadInput},
                      BadAlignment{"NegativeIndex", "[0,1,2]", "[0,1,-2]",
                                   ErrorCode::kBadInput},
                      BadAlignment{"J05_UnknownGroup", "\"P0\": [", "\"P9\": [",
                                   ErrorCode::kMismatch},
                      BadAlignment{"J14_OtherModels", "\"fingerprint\": \"f\"",
                                   "\"fingerprint\": \"g\"",
                                   ErrorCode::kMismatch},
                      BadAlignment{"OtherFormat", "rebasin-alignment",
                                   "rebasin-symmetry", ErrorCode::kBadInput}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace rebasin
