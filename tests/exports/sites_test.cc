// What can be repaired in graphs that PyTorch exports.

#include <gtest/gtest.h>

#include <algorithm>

#include "exports/stripped.h"
#include "rebasin/repair.h"

namespace rebasin {
namespace {

using ::rebasin::testing::ReadStripped;

struct Expected {
  const char* name;
  size_t sites;
  int64_t shifts;   // sites that can be shifted
  int64_t outputs;  // sites that are outputs
  int depth;        // of the deepest
  size_t norms;     // batch norms
};

TEST(ExportedSites, AreFoundInAllKindsOfNetworks) {
  for (const Expected& expected : {
           Expected{"mlp", 3, 3, 1, 3, 0},
           Expected{"resnet18", 21, 21, 1, 18, 20},
           Expected{"vgg16_bn", 16, 16, 1, 16, 13},
           Expected{"mobilenet_v2", 53, 53, 1, 53, 52},
           Expected{"unet", 13, 13, 1, 13, 5},
           Expected{"squeezenet1_1", 26, 26, 1, 18, 0},
           // The convolutions before a Concat are not normalised alone.
           Expected{"densenet121", 183, 122, 1, 121, 121},
           Expected{"lstm", 1, 1, 1, 3, 0},
           // The head is the embedding.
           Expected{"gpt2", 8, 8, 0, 8, 0},
           // Weights are computed.
           Expected{"weight-norm", 0, 0, 0, 0, 0},
       }) {
    const Graph graph = ReadStripped(expected.name);
    const auto sites = RepairSites(graph);
    const auto count = [&](auto holds) {
      return std::count_if(sites.begin(), sites.end(), holds);
    };
    int depth = 0;
    for (const RepairSite& site : sites) depth = std::max(depth, site.depth);
    EXPECT_EQ(sites.size(), expected.sites) << expected.name;
    EXPECT_EQ(count([](const RepairSite& s) { return s.can_shift(); }),
              expected.shifts)
        << expected.name;
    EXPECT_EQ(count([](const RepairSite& s) { return s.is_output; }),
              expected.outputs)
        << expected.name;
    EXPECT_EQ(depth, expected.depth) << expected.name;
    EXPECT_EQ(BatchNormSites(graph).size(), expected.norms) << expected.name;
  }
}

}  // namespace
}  // namespace rebasin
