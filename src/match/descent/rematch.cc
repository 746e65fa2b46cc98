#include "match/descent/rematch.h"

#include <span>

#include "base/random.h"
#include "match/cost_memory.h"
#include "match/costs/gram.h"
#include "match/descent/descent.h"

namespace rebasin {

bool Rematch(const Problem& problem, const MatchOptions& options,
             const Run& run, ThreadPool& pool, Standing& standing) {
  GramBuilder grams(pool);
  Descent descent(problem, pool, grams, CostMemory(problem, options, pool));
  descent.StartAt(standing.alignment, std::move(standing.duals));
  Random random(run.seed);
  bool moved = false;
  for (int pass = 0; pass < options.max_passes; ++pass) {
    std::vector<int> order = descent.order();
    if (options.random_order) random.Shuffle(std::span<int>(order));
    if (descent.Pass(order) == 0) break;
    moved = true;
  }
  standing.alignment = descent.alignment();
  standing.duals = descent.Duals();
  return moved;
}

}  // namespace rebasin
