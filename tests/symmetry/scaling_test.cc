// Scalings in specs, and factors in alignments.

#include <gtest/gtest.h>

#include "rebasin/alignment.h"
#include "rebasin/symmetry.h"
#include "support/expect_error.h"

namespace rebasin {
namespace {

const char kSpec[] = R"({
  "format": "rebasin-symmetry", "version": 1,
  "groups": {"P": 3, "heads": 2, "qk": {"size": 2, "within": "heads"}},
  "tensors": {"in": ["P", "4"], "mid": ["heads*qk+heads*qk", "P"],
              "bias": ["P"]},
  "scalings": [
    {"kind": "scale", "group": "P", "places": [
      {"tensor": "in", "axis": 0, "degree": 1},
      {"tensor": "bias", "axis": 0, "degree": 1},
      {"tensor": "mid", "axis": 1, "degree": -1}]},
    {"kind": "sign", "group": "qk", "places": [
      {"tensor": "mid", "axis": 0, "degree": 1},
      {"tensor": "mid", "axis": 0, "segment": 1, "degree": 1}]}]})";

std::shared_ptr<const Symmetry> Good() {
  return std::make_shared<const Symmetry>(Symmetry::FromJson(kSpec, "spec"));
}

TEST(Scalings, AreReadAndWritten) {
  const auto symmetry = Good();
  ASSERT_EQ(symmetry->scalings().size(), 2u);
  EXPECT_EQ(symmetry->scalings()[0].kind, ScalingKind::kScale);
  EXPECT_EQ(symmetry->scalings()[0].places.size(), 3u);
  EXPECT_EQ(symmetry->scalings()[1].kind, ScalingKind::kSign);
  EXPECT_EQ(symmetry->scalings()[1].places[1].segment, 1);
  EXPECT_EQ(symmetry->Degrees("mid").size(), 3u);
  EXPECT_EQ(symmetry->Degrees("bias").size(), 1u);
  const Symmetry again = Symmetry::FromJson(symmetry->ToJson(), "again");
  EXPECT_EQ(again.scalings(), symmetry->scalings());
  EXPECT_EQ(again.ToJson(), symmetry->ToJson());
}

TEST(Scalings, CanBeLeftOut) {
  const Symmetry plain = Good()->WithoutScalings();
  EXPECT_TRUE(plain.scalings().empty());
  EXPECT_TRUE(plain.Degrees("mid").empty());
  EXPECT_EQ(plain.ToJson().find("scalings"), std::string::npos);
}

TEST(Scalings, AlignmentsAreReadAndWritten) {
  Alignment alignment = Alignment::Random(Good(), 7);
  alignment.mutable_factors(0)[1] = 0.1;
  const std::string text = alignment.ToJson("f");
  EXPECT_NE(text.find("\"version\": 2"), std::string::npos);
  const Alignment again = Alignment::FromJson(text, "again");
  EXPECT_EQ(again, alignment);
  EXPECT_EQ(again.ToJson("f"), text);
}

TEST(Scalings, AlignmentsWithoutThemStayVersionOne) {
  const auto plain =
      std::make_shared<const Symmetry>(Good()->WithoutScalings());
  const std::string text = Alignment::Random(plain, 7).ToJson("f");
  EXPECT_NE(text.find("\"version\": 1"), std::string::npos);
  EXPECT_EQ(text.find("factors"), std::string::npos);
}

TEST(Scalings, ForKeepsFactorsOfTheSameScalings) {
  const Alignment alignment = Alignment::Random(Good(), 7);
  EXPECT_EQ(alignment.WithSymmetry(Good()), alignment);
  const auto plain =
      std::make_shared<const Symmetry>(Good()->WithoutScalings());
  EXPECT_FALSE(alignment.WithSymmetry(plain).HasFactors());
}

TEST(Scalings, InversesUndoAnyFactors) {
  Alignment alignment = Alignment::Random(Good(), 7);
  for (int i = 0; i < 3; ++i) alignment.mutable_factors(0)[i] = 49.0 / (i + 3);
  EXPECT_FALSE(alignment.IsIdentity());
  EXPECT_TRUE(alignment.Then(alignment.Inverse()).IsIdentity());
  EXPECT_TRUE(alignment.Inverse().Then(alignment).IsIdentity());
}

TEST(Scalings, CompositionIsAssociative) {
  const Alignment a = Alignment::Random(Good(), 1);
  const Alignment b = Alignment::Random(Good(), 2);
  const Alignment c = Alignment::Random(Good(), 3);
  EXPECT_EQ(a.Then(b).Then(c), a.Then(b.Then(c)));
  EXPECT_EQ(a.Then(b).Inverse(), b.Inverse().Then(a.Inverse()));
}

struct Bad {
  std::string name, from, to;
  std::string says;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

std::string Replaced(std::string text, const Bad& bad) {
  const size_t at = text.find(bad.from);
  EXPECT_NE(at, std::string::npos) << bad.from;
  return text.replace(at, bad.from.size(), bad.to);
}

class BadScalings : public ::testing::TestWithParam<Bad> {};

TEST_P(BadScalings, AreRefused) {
  const std::string text = Replaced(kSpec, GetParam());
  ExpectError(ErrorCode::kBadInput, {GetParam().says},
              [&] { Symmetry::FromJson(text, "spec"); });
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadScalings,
    ::testing::Values(
        Bad{"UnknownGroup", "\"group\": \"P\"", "\"group\": \"R\"", "\"R\""},
        Bad{"OuterGroup", "\"group\": \"qk\"", "\"group\": \"heads\"",
            "within"},
        Bad{"UnknownKind", "\"kind\": \"sign\"", "\"kind\": \"rotate\"",
            "rotate"},
        Bad{"UnknownTensor", "\"tensor\": \"in\"", "\"tensor\": \"inn\"",
            "\"inn\""},
        Bad{"AxisOutOfRange", "\"axis\": 0", "\"axis\": 2", "2 axes"},
        Bad{"NegativeAxis", "\"axis\": 0", "\"axis\": -1", "axes"},
        Bad{"AxisOfAnotherGroup", "\"axis\": 0", "\"axis\": 1", "occur there"},
        Bad{"SegmentOutOfRange", "\"segment\": 1", "\"segment\": 2",
            "segment 2"},
        Bad{"DegreeTwo", "\"degree\": -1", "\"degree\": -2", "-2"},
        Bad{"DegreeZero", "\"degree\": -1", "\"degree\": 0", "degree"},
        Bad{"DegreeIsAFraction", "\"degree\": -1", "\"degree\": 0.5", "0.5"},
        Bad{"DegreeIsHuge", "\"degree\": -1",
            "\"degree\": 99999999999999999999", "degree"},
        Bad{"NegativeSign", "\"segment\": 1, \"degree\": 1",
            "\"segment\": 1, \"degree\": -1", "degree"},
        Bad{"TwiceInOnePlace", "\"segment\": 1", "\"segment\": 0", "twice"},
        Bad{"NoDegree", ", \"degree\": -1", "", "degree"},
        Bad{"UnknownField", "\"segment\": 1", "\"segmant\": 1",
            "did you mean \"segment\""},
        Bad{"PlacesAreNoList",
            "\"kind\": \"scale\", \"group\": \"P\", "
            "\"places\": [",
            "\"kind\": \"scale\", \"group\": \"P\", \"places\": 3, \"x\": [",
            "unknown field \"x\""}),
    [](const auto& bad) { return bad.param.name; });

class BadFactors : public ::testing::TestWithParam<Bad> {};

TEST_P(BadFactors, AreRefused) {
  const std::string good = Alignment(Good()).ToJson("f");
  const std::string text = Replaced(good, GetParam());
  ExpectError(ErrorCode::kBadInput, {GetParam().says},
              [&] { Alignment::FromJson(text, "alignment"); });
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadFactors,
    ::testing::Values(
        Bad{"Zero", "[1.0,1.0,1.0]", "[1.0,0.0,1.0]", "0.0"},
        Bad{"Negative", "[1.0,1.0,1.0]", "[1.0,-2.0,1.0]", "-2.0"},
        Bad{"TooSmall", "[1.0,1.0,1.0]", "[1.0,1e-320,1.0]", "positive"},
        Bad{"NoNumber", "[1.0,1.0,1.0]", "[1.0,\"1\",1.0]", "positive"},
        Bad{"TooFew", "[1.0,1.0,1.0]", "[1.0,1.0]", "3 numbers"},
        Bad{"SignOfTwo", "[[1,1],[1,1]]", "[[1,2],[1,1]]", "1 or -1"},
        Bad{"SignIsAFraction", "[[1,1],[1,1]]", "[[1,1.0],[1,1]]", "1 or -1"},
        Bad{"CopyMissing", "[[1,1],[1,1]]", "[[1,1]]", "2 lists"},
        Bad{"ScalingMissing", ",[[1,1],[1,1]]", "", "2 scalings"},
        Bad{"NoFactors", "\"factors\"", "\"fractors\"", "factors"},
        Bad{"VersionOne", "\"version\": 2", "\"version\": 1", "version"}),
    [](const auto& bad) { return bad.param.name; });

}  // namespace
}  // namespace rebasin
