// Sinkhorn re-basin, a baseline.

#include "match/soft/sinkhorn_rebasin.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/models.h"

namespace rebasin {
namespace {

using testing::SymmetryPtr;

MatchResult MatchPlanted(const SymmetryPtr& symmetry, const Alignment& hidden,
                         int threads) {
  const Checkpoint a = testing::RandomModel(*symmetry, 1);
  const Checkpoint b =
      testing::ReferencePermute(testing::WithNoise(a, 0.3, 2), hidden);
  return MatchSinkhorn(a, b, symmetry, {}, {.threads = threads});
}

TEST(SinkhornRebasin, FindsPlantedPermutationsOfAnMlp) {
  const auto mlp = testing::Mlp({20, 16, 12, 5});
  const auto hidden = Alignment::Random(mlp, 3);
  const MatchResult found = MatchPlanted(mlp, hidden, 1);
  EXPECT_EQ(testing::Agreement(found.alignment, hidden.Inverse()), 1);
  EXPECT_GT(found.report.objective_after, found.report.objective_before);
}

TEST(SinkhornRebasin, GivesTheSameForAnyNumberOfThreads) {
  const auto net = testing::ResidualMlp(2, 12, 16);
  const auto hidden = Alignment::Random(net, 3);
  EXPECT_EQ(MatchPlanted(net, hidden, 1).alignment,
            MatchPlanted(net, hidden, 3).alignment);
}

TEST(SinkhornRebasin, RefusesUnitsWithinUnits) {
  const auto attention = testing::GroupedQueryAttention(8, 2, 2, 4);
  ExpectError(ErrorCode::kUnsupported,
              {"cannot permute groups inside other groups"},
              [&] { MatchPlanted(attention, Alignment(attention), 1); });
}

}  // namespace
}  // namespace rebasin
