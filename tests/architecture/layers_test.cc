#include "architecture/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "architecture/system_calls.h"

namespace rebasin {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const fs::path kProject = REBASIN_SOURCE_DIR;

TEST(LayersTest, ProjectFollowsTheArrows) {
  EXPECT_THAT(FindBrokenArrows(kProject), IsEmpty());
}

TEST(LayersTest, PublicHeadersNeedOnlyTheStandardLibrary) {
  EXPECT_THAT(FindForeignIncludes(kProject), IsEmpty());
}

TEST(LayersTest, GuardsAreNamedAfterTheirPaths) {
  EXPECT_THAT(FindWrongGuards(kProject), IsEmpty());
}

TEST(LayersTest, NoTwoHeadersDefineTheSameType) {
  EXPECT_THAT(FindDoubleTypes(kProject), IsEmpty());
}

TEST(SystemCalls, AreMadeInOneLayer) {
  EXPECT_THAT(FindStraySystemCalls(kProject), IsEmpty());
}

// Fabricated trees: what the checks above would say of a project that breaks
// the rules. Without these, a check that sees nothing would look like a clean
// project.
class FabricatedTree : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "layersXXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const fs::path& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  fs::path root_;
};

TEST_F(FabricatedTree, IncludingDownwardsIsAllowed) {
  Write("src/match/a.cc",
        "#include \"match/a.h\"\n#include \"base/b.h\"\n"
        "#include \"rebasin/symmetry.h\"\n#include \"assignment/solver.h\"\n");
  Write("cli/main.cc", "#include \"merge/a.h\"\n#include \"cli/b.h\"\n");
  EXPECT_THAT(FindBrokenArrows(root_), IsEmpty());
}

TEST_F(FabricatedTree, IncludingUpwardsIsCaught) {
  Write("src/tensor/a.cc", "// why\n#include \"match/gram.h\"\n");
  EXPECT_THAT(FindBrokenArrows(root_),
              ElementsAre(AllOf(StartsWith("src/tensor/a.cc:2: "),
                                HasSubstr("tensor may not include"))));
}

TEST_F(FabricatedTree, IncludingSidewaysIsCaught) {
  Write("src/assignment/a.h", "  #  include \"tensor/gemm.h\"\n");
  EXPECT_THAT(FindBrokenArrows(root_),
              ElementsAre(HasSubstr("assignment may not include")));
}

TEST_F(FabricatedTree, PublicHeadersBelongToLayersToo) {
  Write("include/rebasin/tensor.h", "#include \"rebasin/match.h\"\n");
  Write("src/io/a.cc", "#include \"rebasin/checkpoint.h\"\n");
  EXPECT_THAT(FindBrokenArrows(root_),
              ElementsAre(HasSubstr("of match"), HasSubstr("of formats")));
}

TEST_F(FabricatedTree, NothingIncludesTheCommandLine) {
  Write("src/merge/a.cc", "#include \"cli/options.h\"\n");
  EXPECT_THAT(FindBrokenArrows(root_), ElementsAre(HasSubstr("of cli")));
}

TEST_F(FabricatedTree, LayersThatAreFoldersOfTheProjectAreChecked) {
  Write("report/a.cc", "#include \"io/a.h\"\n#include \"graph/a.h\"\n");
  EXPECT_THAT(FindBrokenArrows(root_),
              ElementsAre(AllOf(StartsWith("report/a.cc:2: "),
                                HasSubstr("report may not include"))));
}

TEST_F(FabricatedTree, FilesOutsideEveryLayerAreCaught) {
  Write("src/misc/a.cc", "");
  Write("src/base/a.cc", "#include \"misc/a.h\"\n");
  Write("include/rebasin/everything.h", "");
  EXPECT_THAT(FindBrokenArrows(root_),
              ElementsAre(HasSubstr("everything.h:1: is in no layer"),
                          HasSubstr("misc/a.h, which is in no layer"),
                          HasSubstr("src/misc/a.cc:1: is in no layer")));
}

TEST_F(FabricatedTree, ThirdPartyHeadersInPublicOnesAreCaught) {
  Write("include/rebasin/match.h",
        "#include <vector>\n#include \"rebasin/error.h\"\n"
        "#include <nlohmann/json.hpp>\n#include \"match/gram.h\"\n");
  EXPECT_THAT(FindForeignIncludes(root_),
              ElementsAre(HasSubstr("match.h:3: a public header includes "
                                    "nlohmann/json.hpp"),
                          HasSubstr("match/gram.h")));
}

TEST_F(FabricatedTree, WrongGuardsAreCaught) {
  Write("src/match/a.h", "#ifndef A_H\n#define A_H\n#endif\n");
  Write("src/match/b.h", "#pragma once\n");
  Write("src/match/c_d.h",
        "#ifndef REBASIN_MATCH_C_D_H_\n#define REBASIN_MATCH_C_D_H_\n"
        "#endif  // REBASIN_MATCH_C_D_H_\n");
  EXPECT_THAT(FindWrongGuards(root_),
              ElementsAre(HasSubstr("REBASIN_MATCH_A_H_"),
                          HasSubstr("REBASIN_MATCH_B_H_")));
}

TEST_F(FabricatedTree, TypesDefinedTwiceAreFound) {
  Write("src/base/a.h", "namespace rebasin {\nstruct Axis {\n};\n}\n");
  Write("report/b.h", "namespace rebasin {\nclass Axis {\n};\n}\n");
  Write("nn/c.h", "namespace rebasin::nn {\nclass Axis {\n};\n}\n");
  Write("cli/d.h", "namespace rebasin {\nstruct Axis;\n}\n");
  EXPECT_THAT(
      FindDoubleTypes(root_),
      ElementsAre(AllOf(HasSubstr("rebasin::Axis"), HasSubstr("src/base/a.h"),
                        HasSubstr("report/b.h"))));
}

TEST_F(FabricatedTree, SystemCallsOutsideOfTheirLayerAreCaught) {
  Write("src/io/a.cc", "int fd = open(path);\n");
  Write("src/merge/b.cc",
        "// rename(a, b)\nfile.open(name);\nreopen(name);\n"
        "  if (::rename(a, b) != 0) return;\n");
  Write("cli/c.cc", "unlink(path);\n");
  EXPECT_THAT(FindStraySystemCalls(root_),
              ElementsAre(AllOf(StartsWith("src/merge/b.cc:4: "),
                                HasSubstr("calls rename")),
                          HasSubstr("cli/c.cc:1: calls unlink")));
}

}  // namespace
}  // namespace rebasin
