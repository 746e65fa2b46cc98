#include <gtest/gtest.h>

#include "rebasin/error.h"
#include "rebasin/symmetry.h"

namespace rebasin {
namespace {

constexpr const char* kSpec = R"({
  "format": "rebasin-symmetry",
  "version": 1,
  "groups": {
    "P0": 512,
    "heads": 8,
    "qk": {"size": 64, "within": "heads"}
  },
  "tensors": {
    "attn.q.weight": ["heads*qk","P0"],
    "fc1.bias": ["P0"],
    "fc1.mean": ["P0"]
  },
  "statistics": ["fc1.mean"]
})";

TEST(SpecFile, ReadsGroupsTensorsAndStatistics) {
  const auto spec = Symmetry::FromJson(kSpec, "spec");
  ASSERT_EQ(spec.groups().size(), 3u);
  const int qk = spec.FindGroup("qk");
  EXPECT_EQ(spec.groups()[qk].size, 64);
  EXPECT_EQ(spec.groups()[qk].parent, spec.FindGroup("heads"));
  EXPECT_TRUE(spec.Find("fc1.mean")->statistic);
  EXPECT_FALSE(spec.Find("fc1.bias")->statistic);
  EXPECT_EQ(spec.Find("attn.q.weight")->axes[0].size(), 512);
}

TEST(SpecFile, WritesWhatItReads) {
  const std::string text = Symmetry::FromJson(kSpec, "spec").ToJson();
  EXPECT_EQ(Symmetry::FromJson(text, "again").ToJson(), text);
}

std::string ListSpec(const std::string& lists,
                     const std::string& axes = R"(["h"])") {
  return R"({"format": "rebasin-symmetry", "version": 1,
             "groups": {"e": 2, "h": {"size": 3, "within": "e"}},
             "tensors": {"up.0": ["h"], "up.1": )" +
         axes + R"(, "router": ["e"]},
             "lists": {)" +
         lists + "}}";
}

TEST(SpecFile, ReadsAndWritesLists) {
  const auto spec = Symmetry::FromJson(
      ListSpec(R"("up.*": {"group": "e", "tensors": ["up.1", "up.0"]})"),
      "spec");
  EXPECT_EQ(spec.Find("up.0")->member.index, 1);
  EXPECT_EQ(spec.Sibling(*spec.Find("up.0"), 0).name, "up.1");
  EXPECT_FALSE(spec.Find("router")->in_list());
  EXPECT_EQ(Symmetry::FromJson(spec.ToJson(), "again").ToJson(), spec.ToJson());
}

TEST(SpecFile, RefusesListsThatAreNone) {
  const auto refused = [](const std::string& lists,
                          const std::string& axes = R"(["h"])") {
    try {
      Symmetry::FromJson(ListSpec(lists, axes), "spec");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto list = [](const std::string& group, const std::string& tensors) {
    return R"("up.*": {"group": ")" + group + R"(", "tensors": [)" + tensors +
           "]}";
  };
  const std::string both = R"("up.0", "up.1")";
  EXPECT_EQ(refused(list("e", both)), "accepted");
  EXPECT_NE(refused(list("e", R"("up.0")")), "accepted");
  EXPECT_NE(refused(list("e", R"("up.0", "up.0")")), "accepted");
  EXPECT_NE(refused(list("e", R"("up.0", "up.2")")), "accepted");
  EXPECT_NE(refused(list("e", R"("up.0", "up.1", "router")")), "accepted");
  EXPECT_NE(refused(list("e", R"("up.0", 1)")), "accepted");
  EXPECT_NE(refused(list("h", both)), "accepted");
  EXPECT_NE(refused(list("x", both)), "accepted");
  EXPECT_NE(refused(list("e", both), R"(["3"])"), "accepted");
  EXPECT_NE(refused(list("e", both), R"(["e*h"])"), "accepted");
  EXPECT_NE(refused(R"("up.*": [])"), "accepted");
  EXPECT_NE(refused(R"("up.*": {"group": "e", "tensors": "up.0"})"),
            "accepted");
}

constexpr const char* kParts = R"({
  "format": "rebasin-symmetry",
  "version": 1,
  "groups": {"there": 3, "back": 3},
  "tensors": {"r": {"along": 0, "parts": [["1", "4*there", "there"],
                                          ["1", "4*back", "back"]]}}
})";

TEST(SpecFile, ReadsAndWritesTensorsOfSeveralParts) {
  const auto spec = Symmetry::FromJson(kParts, "spec");
  const TensorSymmetry& r = *spec.Find("r");
  ASSERT_EQ(r.parts(), 2u);
  EXPECT_EQ(r.size(0), 2);
  EXPECT_EQ(r.size(1), 12);
  EXPECT_EQ(r.elements(), 72);
  EXPECT_EQ(
      AxisTexts(r, spec.groups()),
      (std::vector<std::string>{"1 | 1", "4*there | 4*back", "there | back"}));
  EXPECT_EQ(Symmetry::FromJson(spec.ToJson(), "again").ToJson(), spec.ToJson());
}

TEST(SpecFile, RefusesPartsThatDoNotFitTogether) {
  const std::pair<const char*, const char*> changes[] = {
      {R"("4*back", "back")", R"("4*back")"},
      {R"("4*back", "back")", R"("4*back", "4")"},
      {R"("4*back", "back")", R"("4*back", "9223372036854775807")"},
      {R"("along": 0)", R"("along": 3)"},
      {R"("along": 0)", R"("along": -1)"},
      {R"("along": 0,)", ""},
      {R"("along": 0)", R"("along": 0, "more": 1)"},
      {R"([["1", "4*there", "there"],)", R"([5,)"},
  };
  for (const auto& [from, to] : changes) {
    std::string text = kParts;
    text.replace(text.find(from), std::string(from).size(), to);
    EXPECT_THROW(Symmetry::FromJson(text, "spec"), Error) << text;
  }
}

TEST(SpecFile, NamesUnknownFieldsOfPartsAndWhatIsKnown) {
  const auto error_of = [](const std::string& from, const std::string& to) {
    std::string text = kParts;
    text.replace(text.find(from), from.size(), to);
    try {
      Symmetry::FromJson(text, "spec");
    } catch (const Error& error) {
      return error.what() + (" | " + error.hint());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(error_of(R"("along": 0)", R"("along": 0, "more": 1)"),
            "spec: tensor \"r\": unknown field \"more\" | known fields: "
            "\"along\", \"parts\"");
  EXPECT_EQ(error_of(R"("parts")", R"("part")"),
            "spec: tensor \"r\": unknown field \"part\" | did you mean "
            "\"parts\"? known fields: \"along\", \"parts\"");
}

TEST(SpecFile, RefusesTensorsOfVeryManyParts) {
  std::string parts = R"(["1", "there"])";
  for (int i = 0; i < 20'000; ++i) parts += R"(, ["1", "there"])";
  const std::string text =
      R"({"format": "rebasin-symmetry", "version": 1, "groups": {"there": 3},
          "tensors": {"r": {"along": 0, "parts": [)" +
      parts + "]}}}";
  try {
    Symmetry::FromJson(text, "spec");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLimit) << error.what();
  }
}

struct BadSpec {
  const char* name;
  const char* from;
  const char* to;
  ErrorCode code;
};

class BadSpecs : public ::testing::TestWithParam<BadSpec> {};

TEST_P(BadSpecs, AreRefusedWithTheFileNamed) {
  std::string text = kSpec;
  const std::string from = GetParam().from;
  text.replace(text.find(from), from.size(), GetParam().to);
  try {
    Symmetry::FromJson(text, "the-spec");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), GetParam().code) << error.what();
    EXPECT_NE(std::string(error.what()).find("the-spec"), std::string::npos)
        << error.what();
  }
}

constexpr ErrorCode kBad = ErrorCode::kBadInput;

INSTANTIATE_TEST_SUITE_P(
    Rows, BadSpecs,
    ::testing::Values(
        BadSpec{"J01_NotJson", "{", "[", kBad},
        BadSpec{"J01_Comment", "\"version\"", "// x\n\"version\"", kBad},
        BadSpec{"J01_NaN", "512", "NaN", kBad},
        BadSpec{"J01_DuplicateKey", "\"heads\": 8", "\"P0\": 8", kBad},
        BadSpec{"J02_UnknownVersion", "1,", "7,", ErrorCode::kUnsupported},
        BadSpec{"J02_MissingVersion", "\"version\": 1,", "",
                ErrorCode::kUnsupported},
        BadSpec{"NegativeSize", "512", "-1", kBad},
        BadSpec{"FractionalSize", "512", "1.5", kBad},
        BadSpec{"HugeSize", "512", "18446744073709551616", kBad},
        BadSpec{"MoreThan2To26Units", "512", "67108865", ErrorCode::kLimit},
        // Whatever it is multiplied by.
        BadSpec{"MoreThan2To26UnitsWithinNone",
                "8,\n    \"qk\": {\"size\": 64,",
                "0,\n    \"qk\": {\"size\": 67108865,", ErrorCode::kLimit},
        BadSpec{"MoreThan2To26UnitsInAProduct", "8,", "1048577,",
                ErrorCode::kLimit},
        BadSpec{"UnknownOuterGroup", "\"within\": \"heads\"",
                "\"within\": \"nobody\"", kBad},
        BadSpec{"MisspeltField", "\"statistics\"", "\"statistcs\"", kBad},
        BadSpec{"UnknownStatistic", "[\"fc1.mean\"]", "[\"fc9\"]", kBad},
        BadSpec{"AxesNotAList", "[\"P0\"]", "\"P0\"", kBad},
        BadSpec{"AxisNotAString", "[\"P0\"]", "[512]", kBad},
        BadSpec{"UnknownGroup", "[\"P0\"]", "[\"P1\"]", kBad},
        BadSpec{"GroupTwiceInOneProduct", "[\"P0\"]", "[\"P0*P0\"]", kBad}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace rebasin
