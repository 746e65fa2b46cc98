// The small program without the large one beside it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace rebasin {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Program;

class Alone : public ::testing::Test {
 protected:
  Alone() { std::filesystem::copy_file(REBASIN_PROGRAM, folder_ / "rebasin"); }
  Outcome Run(const std::vector<std::string>& args) const {
    return Program(folder_, args, {}, folder_ / "rebasin").Wait();
  }

  TempDir folder_;
};

TEST_F(Alone, SaysWhatIsMissing) {
  for (const char* command : {"train", "eval", "interpolate", "plane"}) {
    const Outcome run = Run({command, "a.safetensors", "--data", "nowhere"});
    EXPECT_EQ(run.exit_code, 3) << run.err;
    EXPECT_TRUE(run.says("no rebasin-nn")) << run.err;
    EXPECT_TRUE(run.says("REBASIN_NN=ON")) << run.err;
  }
}

TEST_F(Alone, SaysSoWhereOnlyAFlagNeedsNetworks) {
  ASSERT_EQ(Run({"demo", "."}).exit_code, 0);
  const Outcome merge =
      Run({"merge", "a.safetensors", "b.safetensors", "--model", "auto",
           "--data", "nowhere", "-o", "m.safetensors"});
  EXPECT_EQ(merge.exit_code, 3) << merge.err;
  EXPECT_TRUE(merge.says("no rebasin-nn")) << merge.err;
  const Outcome verify =
      Run({"verify", "a.safetensors", "--model", "auto", "--data", "nowhere"});
  EXPECT_EQ(verify.exit_code, 3) << verify.err;
}

TEST_F(Alone, StillMergesAndHelps) {
  ASSERT_EQ(Run({"demo", "."}).exit_code, 0);
  const Outcome merge = Run({"merge", "a.safetensors", "b.safetensors",
                             "--model", "auto", "-o", "m.safetensors"});
  EXPECT_EQ(merge.exit_code, 0) << merge.err;
  const Outcome help = Run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("Train a network on data"));
  EXPECT_EQ(Run({"merge", "--help"}).exit_code, 0);
}

}  // namespace
}  // namespace rebasin
