// What the large program is told about OpenBLAS.

#include "cli/openblas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/program.h"

namespace rebasin {
namespace {

using cli::BetterKernels;
using cli::ProcessorVectors;
using cli::Vectors;
using testing::Environment;
using testing::Program;

TEST(BetterKernels, AreNamedWhereThoseChosenAreNarrowerThanTheProcessor) {
  EXPECT_EQ(BetterKernels("Prescott", Vectors::kAvx512), "SKYLAKEX");
  EXPECT_EQ(BetterKernels("Haswell", Vectors::kAvx512), "SKYLAKEX");
  EXPECT_EQ(BetterKernels("Zen", Vectors::kAvx512), "SKYLAKEX");
  EXPECT_EQ(BetterKernels("Prescott", Vectors::kAvx2), "HASWELL");
  EXPECT_EQ(BetterKernels("Sandybridge", Vectors::kAvx2), "HASWELL");
}

TEST(BetterKernels, AreNotNamedWhereThoseChosenFitTheProcessor) {
  for (const char* name : {"SkylakeX", "Cooperlake", "SapphireRapids"}) {
    EXPECT_EQ(BetterKernels(name, Vectors::kAvx512), "") << name;
    EXPECT_EQ(BetterKernels(name, Vectors::kAvx2), "") << name;
  }
  for (const char* name : {"Haswell", "Zen", "Excavator"}) {
    EXPECT_EQ(BetterKernels(name, Vectors::kAvx2), "") << name;
  }
  EXPECT_EQ(BetterKernels("Prescott", Vectors::kNarrow), "");
}

TEST(BetterKernels, AreNotNamedWhereAnotherLibraryIsTheBlas) {
  EXPECT_EQ(BetterKernels("", Vectors::kAvx512), "");
}

TEST(BetterKernels, AreNotNamedInPlaceOfThoseThatCameLater) {
  EXPECT_EQ(BetterKernels("OfTomorrow", Vectors::kAvx512), "");
}

// The program beside a large one that prints its settings, with a BLAS that
// has chosen the kernels `chosen`.
class Settings : public ::testing::Test {
 protected:
  Settings() {
    std::filesystem::copy_file(REBASIN_PROGRAM, folder_ / "rebasin");
    const std::filesystem::path large = folder_ / "rebasin-nn";
    std::ofstream(large) << "#!/bin/sh\n"
                            "echo \"${OPENBLAS_CORETYPE-none} "
                            "${OPENBLAS_NUM_THREADS-none} "
                            "${OMP_WAIT_POLICY-none}\"\n";
    std::filesystem::permissions(large, std::filesystem::perms::owner_all);
  }
  std::string With(const std::string& chosen, Environment more = {}) const {
    Environment environment = {{"LD_LIBRARY_PATH", FAKE_OPENBLAS_FOLDER},
                               {"FAKE_KERNELS", chosen},
                               {"OPENBLAS_CORETYPE", {}},
                               {"OPENBLAS_NUM_THREADS", {}},
                               {"OMP_WAIT_POLICY", {}}};
    more.merge(environment);
    return Program(folder_, {"eval", "a", "--data", "b"}, more,
                   folder_ / "rebasin")
        .Wait()
        .out;
  }

 private:
  TempDir folder_;
};

TEST_F(Settings, NameBetterKernelsWhereOpenBlasTakesTheProcessorForAnOldOne) {
  const std::string better(BetterKernels("Prescott", ProcessorVectors()));
  EXPECT_EQ(With("Prescott"),
            (better.empty() ? "none" : better) + " none PASSIVE\n");
}

TEST_F(Settings, LeaveTheKernelsAloneWhereOpenBlasKnowsTheProcessor) {
  EXPECT_EQ(With("SapphireRapids"), "none none PASSIVE\n");
}

TEST_F(Settings, LeaveAloneWhatSomebodyHasSet) {
  EXPECT_EQ(With("Prescott", {{"OPENBLAS_CORETYPE", "Nehalem"},
                              {"OPENBLAS_NUM_THREADS", "3"},
                              {"OMP_WAIT_POLICY", "ACTIVE"}}),
            "Nehalem 3 ACTIVE\n");
  EXPECT_EQ(With("SapphireRapids", {{"OPENBLAS_NUM_THREADS", "3"}}),
            "none 3 PASSIVE\n");
}

}  // namespace
}  // namespace rebasin
