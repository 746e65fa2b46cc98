// Specs, alignments and indices that ask for much with little.

#include <gtest/gtest.h>

#include "bad_inputs/trial.h"
#include "cli/program.h"
#include "support/bad_input.h"
#include "support/sparse_file.h"
#include "support/spec_text.h"

namespace rebasin {
namespace {

using testing::ExpectTrial;
using testing::kMebibyte;
using testing::Many;
using testing::RunIn;
using testing::Trial;

constexpr int kMismatch = 4, kIo = 5, kLimit = 6;

// count times make(i), with commas between.
template <typename Make>
std::string Joined(int64_t count, Make make) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + make(i);
  return text;
}

// A folder with a sound model of the one tensor w, [1].
class CostlySpecs : public ::testing::Test {
 protected:
  CostlySpecs() {
    folder_.Write(
        "w.safetensors",
        File(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
             "1234"));
  }

  void ExpectAsSpec(const std::string& text, const Trial& expected) const {
    folder_.Write("in.json", text);
    Expect({"inspect", "w.safetensors", "--spec", "in.json"}, expected);
  }

  void ExpectAsAlignment(const std::string& text, const Trial& expected) const {
    folder_.Write("in.json", text);
    Expect({"apply", "w.safetensors", "--align", "in.json", "-o",
            "out.safetensors"},
           expected);
  }

  void Expect(std::vector<std::string> args, Trial trial) const {
    trial.args = std::move(args);
    ExpectTrial(folder_, trial);
  }

  // One for the sound model.
  std::string AlignmentOf(const std::string& spec,
                          const std::string& permutations) const {
    return AlignmentText(RunIn(folder_, {"inspect", "w.safetensors", "--json"})
                             .json()["fingerprint"],
                         spec, permutations);
  }

  TempDir folder_;
};

TEST_F(CostlySpecs, J15_TwoHundredMegabytesAreNotRead) {
  WriteSparse(folder_, "in.json", "{", 200'000'000);
  for (const char* option : {"--spec", "--align"}) {
    const bool spec = std::string(option) == "--spec";
    std::vector<std::string> args = {spec ? "inspect" : "apply",
                                     "w.safetensors", option, "in.json"};
    if (!spec) args.insert(args.end(), {"-o", "out.safetensors"});
    Expect(
        args,
        {.file = "in.json", .exit_code = kLimit, .says = {"200000000 bytes"}});
  }
}

TEST_F(CostlySpecs, I10_AnIndexOfTwoHundredMegabytesIsNotRead) {
  WriteSparse(folder_, "in.index.json", "{", 200'000'000);
  Expect({"inspect", "in.index.json"}, {.file = "in.index.json",
                                        .exit_code = kLimit,
                                        .says = {"200000000 bytes"}});
}

TEST_F(CostlySpecs, J15_MoreThanAMillionGroupsAreRefused) {
  ExpectAsSpec(SpecText(Joined(1'000'001,
                               [](int64_t i) {
                                 return "\"g" + std::to_string(i) + "\":1";
                               }),
                        R"("w":["1"])"),
               {.file = "in.json",
                .exit_code = kLimit,
                .says = {"more than 1000000 groups"},
                .memory = 600 * kMebibyte});
}

TEST_F(CostlySpecs, GroupsOfABillionUnitsAreRefused) {
  ExpectAsSpec(
      SpecText(R"("P":1073741824)", R"("w":["1"])"),
      {.file = "in.json", .exit_code = kLimit, .says = {"units in all"}});
}

TEST_F(CostlySpecs, GroupsThatStandNowhereTakeNoMemory) {
  ExpectAsSpec(SpecText(R"("P":67108864)", R"("w":["1"])"),
               {.file = "w.safetensors",
                .exit_code = kLimit,
                .says = {"\"P\"", "67108864 units"}});
}

// Ten axes of four segments are a million combinations in 100 bytes.
TEST_F(CostlySpecs, ManyTensorsOfManyCombinationsAreRefused) {
  const std::string axis = "\"1+1+1+1\"";
  const std::string axes = Joined(10, [&](int64_t) { return axis; });
  ExpectAsSpec(
      SpecText("", Joined(1000,
                          [&](int64_t i) {
                            return "\"t" + std::to_string(i) + "\":[" + axes +
                                   "]";
                          })),
      {.file = "in.json", .exit_code = kLimit, .says = {"combinations"}});
}

TEST_F(CostlySpecs, ProductsOfThousandsOfFactorsAreRefused) {
  const int64_t count = 100'000;
  std::string product;
  for (int64_t i = 0; i < count; ++i) {
    product += (i == 0 ? "g" : "*g") + std::to_string(i);
  }
  ExpectAsSpec(SpecText(Joined(count,
                               [](int64_t i) {
                                 return "\"g" + std::to_string(i) + "\":1";
                               }),
                        "\"w\":[\"" + product + "\"]"),
               {.file = "in.json",
                .exit_code = kLimit,
                .says = {"\"w\"", "100000 factors", "64"},
                .memory = 200 * kMebibyte});
}

TEST_F(CostlySpecs, AlignmentsOfHugeGroupsTakeNoMemory) {
  ExpectAsAlignment(
      AlignmentOf(SpecText(R"("P":67108864)", R"("w":["1"])"), R"("P":[0])"),
      {.file = "in.json",
       .exit_code = kMismatch,
       .says = {"\"P\"", "1 entries", "67108864"}});
}

TEST_F(CostlySpecs, AlignmentsOfHugeInnerGroupsTakeNoMemory) {
  ExpectAsAlignment(
      AlignmentOf(SpecText(R"("P":1,"Q":{"size":67108863,"within":"P"})",
                           R"("w":["1"])"),
                  R"("P":[0],"Q":[[0]])"),
      {.file = "in.json",
       .exit_code = kMismatch,
       .says = {"\"Q\"", "1 entries", "67108863"}});
}

TEST_F(CostlySpecs, J05_ManyGroupsAndPermutationsAreNotAllCompared) {
  const int64_t count = Many(300'000);
  const auto numbered = [](const char* letter, const char* value) {
    return [=](int64_t i) {
      return "\"" + (letter + std::to_string(i)) + "\":" + value;
    };
  };
  ExpectAsAlignment(
      AlignmentOf(SpecText(Joined(count, numbered("g", "0")), R"("w":["1"])"),
                  Joined(count, numbered("h", "[]"))),
      {.file = "in.json",
       .exit_code = kMismatch,
       .says = {"missing \"g0\"", "unknown \"h0\"", "more"},
       .memory = 600 * kMebibyte});
}

TEST_F(CostlySpecs, I05_ManyMissingShardsAreCountedAndTenAreNamed) {
  const int64_t count = Many(100'000);
  folder_.Write("in.index.json",
                R"({"weight_map":{)" + Joined(count, [](int64_t i) {
                  const std::string name = std::to_string(i);
                  return "\"" + name + "\":\"" + name + ".safetensors\"";
                }) + "}}");
  Expect({"inspect", "in.index.json"},
         {.file = "in.index.json",
          .exit_code = kIo,
          .says = {std::to_string(count) + " of " + std::to_string(count),
                   "and " + std::to_string(count - 10) + " more"},
          .memory = 200 * kMebibyte});
}

TEST_F(CostlySpecs, DeepAlignmentsAreRefused) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += '[';
  ExpectAsAlignment(
      AlignmentOf(SpecText(R"("P":1)", R"("w":["P"])"), "\"P\":" + deep),
      {.file = "in.json", .exit_code = kLimit, .says = {"64"}});
}

}  // namespace
}  // namespace rebasin
