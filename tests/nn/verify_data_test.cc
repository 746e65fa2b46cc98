#include "nn/verify_data.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "nn/small_networks.h"
#include "rebasin/discovery.h"
#include "rebasin/nn/calibrate.h"
#include "support/expect_error.h"
#include "support/models.h"

namespace rebasin::nn {
namespace {

using testing::Blobs;
using testing::FixedBatchMlp;
using testing::GraphPtr;
using testing::RandomNetwork;
using testing::SmallConvNet;
using testing::SmallMlp;

std::shared_ptr<const Symmetry> SymmetryOf(const Graph& graph) {
  return std::make_shared<const Symmetry>(Discover(graph).symmetry);
}

TEST(VerifyOnData, FindsThatATrueSymmetryChangesNothing) {
  const GraphPtr graph = SmallConvNet();
  const Checkpoint model = RandomNetwork(*graph, 1);
  const VerifyReport report =
      VerifyOnData(graph, model, Alignment::Random(SymmetryOf(*graph), 3),
                   Blobs({1, 8, 8}, 4, 70, 1), {}, {.threads = 2});
  EXPECT_TRUE(report.same);
  EXPECT_EQ(report.input_shapes,
            (std::vector<std::vector<Shape>>{{{70, 1, 8, 8}}}));
  ASSERT_EQ(report.outputs.size(), 1u);
  EXPECT_EQ(report.outputs[0].shape, (Shape{70, 4}));
  EXPECT_GT(report.outputs[0].largest, 0);
}

// Moves the units of a layer, and not what reads them.
TEST(VerifyOnData, FindsThatAWrongOneDoes) {
  const GraphPtr graph = SmallMlp();
  const auto wrong = testing::MakeSymmetry({{.name = "P", .size = 8}},
                                           {{"fc1.weight", {"P", "6"}},
                                            {"fc1.bias", {"P"}},
                                            {"fc2.weight", {"8", "8"}},
                                            {"fc2.bias", {"8"}},
                                            {"fc3.weight", {"4", "8"}},
                                            {"fc3.bias", {"4"}}});
  const VerifyReport report =
      VerifyOnData(graph, RandomNetwork(*graph, 1), Alignment::Random(wrong, 3),
                   Blobs({6}, 4, 70, 1), {}, {.threads = 1});
  EXPECT_FALSE(report.same);
  EXPECT_GT(report.outputs[0].difference, 0.01 * report.outputs[0].largest);
}

TEST(VerifyOnData, SaysNothingOfOutputsThatAreNotFinite) {
  const GraphPtr graph = SmallMlp();
  const Checkpoint model =
      testing::Changed(RandomNetwork(*graph, 1), "fc1.bias", 1,
                       std::numeric_limits<double>::infinity());
  ExpectError(ErrorCode::kBadInput, {"not finite"}, [&] {
    VerifyOnData(graph, model, Alignment::Random(SymmetryOf(*graph), 3),
                 Blobs({6}, 4, 70, 1), {}, {.threads = 1});
  });
}

TEST(VerifyOnData, RunsAGraphThatIsMadeForOneBatchSize) {
  const GraphPtr graph = FixedBatchMlp(7);
  const VerifyReport report = VerifyOnData(
      graph, RandomNetwork(*graph, 1), Alignment::Random(SymmetryOf(*graph), 3),
      Blobs({2, 3}, 4, 70, 1), {}, {.threads = 1});
  EXPECT_TRUE(report.same);
}

TEST(RepairActivations, RunsAGraphThatIsMadeForOneBatchSize) {
  const GraphPtr graph = FixedBatchMlp(7);
  const std::array<Checkpoint, 1> models = {RandomNetwork(*graph, 1)};
  const std::array<double, 1> shares = {1};
  const Checkpoint repaired =
      RepairActivations(graph, models[0], models, shares,
                        Blobs({2, 3}, 4, 30, 1), ActivationRepair::kRepair);
  EXPECT_TRUE(testing::AllFinite(repaired));
}

}  // namespace
}  // namespace rebasin::nn
