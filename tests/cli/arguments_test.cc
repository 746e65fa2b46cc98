// Arguments that cannot be meant: exit 2, one line, nothing written.

#include <gtest/gtest.h>

#include "cli/program.h"

namespace rebasin {
namespace {

using testing::ModelFolder;
using testing::Outcome;

struct Row {
  std::string name;
  std::vector<std::string> args;
  std::string says;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::vector<std::string> MergeWith(const std::vector<std::string>& more) {
  std::vector<std::string> args = {
      "merge", "a.safetensors", "b.safetensors", "--spec", "mlp",
      "-o",    "m.safetensors"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

const Row kRows[] = {
    {"M17_LambdaIsNotANumber", MergeWith({"--lambda", "nan"}), "--lambda"},
    {"M17_LambdaBelowZero", MergeWith({"--lambda", "-1"}), "from 0 to 1"},
    {"M17_LambdaAboveOne", MergeWith({"--lambda", "2"}), "from 0 to 1"},
    {"M17_LambdaWithAComma", MergeWith({"--lambda", "0,5"}), "--lambda"},
    {"M17_LambdaIsEmpty", MergeWith({"--lambda="}), ""},
    {"M17_WeightsDoNotSumToOne", MergeWith({"--weights", "0.5,0.6"}),
     "sum to 1"},
    {"M17_TooFewWeights", MergeWith({"--weights", "1"}), "2 models"},
    {"M17_WeightIsNegative", MergeWith({"--weights", "-1,2"}), "--weights"},
    {"M17_OneModelOnly",
     {"merge", "a.safetensors", "--align", "none", "-o", "m.safetensors"},
     "two models"},
    {"M17_SlerpOfThree", MergeWith({"a.safetensors", "--method", "slerp"}),
     "two models"},
    {"M17_LambdaForThree", MergeWith({"a.safetensors", "--lambda", "0.5"}),
     "two models"},
    {"M18_NoPasses", MergeWith({"--max-passes", "0"}), "--max-passes"},
    {"M18_NoThreads", MergeWith({"--threads", "0"}), "--threads"},
    {"M18_AMillionThreads", MergeWith({"--threads", "1000000"}), "--threads"},
    {"M18_SeedBelowZero", MergeWith({"--seed", "-1"}), "--seed"},
    {"M18_SeedBeyond64Bits", MergeWith({"--seed", "18446744073709551616"}),
     "--seed"},
    {"NoOutput", {"merge", "a.safetensors", "b.safetensors"}, "--output"},
    {"MisspeltCommand", {"merg", "a.safetensors"}, "did you mean \"merge\""},
    {"MisspeltOption", MergeWith({"--lamda", "0.5"}),
     "did you mean \"--lambda\""},
    {"MisspeltOptionBehindASeed",
     {"--seed", "1", "merge", "a.safetensors", "b.safetensors", "--lamda", "1"},
     "did you mean \"--lambda\""},
    {"MisspeltOptionWithValue", MergeWith({"--thread=2"}),
     "did you mean \"--threads\""},
    {"MisspeltChoice", MergeWith({"--start", "anealed"}),
     "did you mean \"annealed\""},
    {"MisspeltMethod", MergeWith({"--method", "slurp"}),
     "did you mean \"slerp\""},
    {"UnknownArchitecture",
     {"inspect", "a.safetensors", "--spec", "mlpp"},
     "did you mean \"mlp\""},
    {"BadShardSize", MergeWith({"--shard-size", "2 parsecs"}), "--shard-size"},
    {"NoCommand", {}, "no command"},
    {"NoArguments", {"diff"}, "required"},
    {"BothShares", MergeWith({"--lambda", "0.5", "--weights", "0.5,0.5"}),
     "excludes"},
};

class BadArguments : public ::testing::TestWithParam<Row> {};

TEST_P(BadArguments, AreRefused) {
  const ModelFolder folder;
  const auto before = folder.Files();
  const Outcome run = folder.Run(GetParam().args);
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_EQ(run.err.rfind("rebasin: error: ", 0), 0u) << run.err;
  EXPECT_TRUE(run.says(GetParam().says)) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(folder.Files(), before);
}

INSTANTIATE_TEST_SUITE_P(Rows, BadArguments, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace rebasin
