// rebasin zoo.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace rebasin {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::RunIn;

TEST(Zoo, ListsTheArchitectures) {
  const TempDir folder;
  const Outcome run = RunIn(folder, {"zoo"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* part :
       {"resnet20", "ResNet for CIFAR with 20 layers", "shortcut=A", "llama",
        "by their config.json", "qwen2", "UNet2DConditionModel"}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
}

TEST(Zoo, TellsMachinesTheSame) {
  const TempDir folder;
  const auto entries = RunIn(folder, {"zoo", "--json"}).json()["entries"];
  EXPECT_GT(entries.size(), 20u);
  EXPECT_EQ(entries[0]["name"], "mlp");
  EXPECT_EQ(entries[0]["options"][0]["default"], "3");
  const auto families = RunIn(folder, {"zoo", "--json"}).json()["families"];
  EXPECT_GT(families.size(), 40u);
  EXPECT_EQ(families[0]["model_type"], "llama");
}

TEST(Zoo, ShowsOneArchitecture) {
  const TempDir folder;
  const Outcome run = RunIn(folder, {"zoo", "resnet50"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* part :
       {"as in torchvision", "classes", "1..1000000", "267 weights"}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
}

TEST(Zoo, ShowsOneWithOptions) {
  const TempDir folder;
  const auto json =
      RunIn(folder, {"zoo", "mlp:width=10,in=4,out=3,depth=1", "--json"})
          .json();
  EXPECT_EQ(json["parameters"], 10 * 4 + 10 + 3 * 10 + 3);
  EXPECT_EQ(json["weights"][0]["name"], "fc1.weight");
}

TEST(Zoo, SuggestsNames) {
  const TempDir folder;
  const Outcome run = RunIn(folder, {"zoo", "resnet2"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(run.says("did you mean \"resnet20\"?"));
}

}  // namespace
}  // namespace rebasin
