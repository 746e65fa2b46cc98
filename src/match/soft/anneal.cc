#include "match/soft/anneal.h"

#include <algorithm>

#include "match/soft/soft_match.h"

namespace rebasin {

Alignment Anneal(const Problem& problem, const std::vector<int>& order,
                 const AnnealOptions& options, ThreadPool& pool) {
  SoftAlignment soft;
  SoftMatch match(problem, soft, pool);
  match.visited = options.visited;
  double temperature = options.first_temperature, before = 0;
  for (int sweep = 0; sweep < options.most_sweeps; ++sweep) {
    const double value =
        match.Sweep(order, /*backwards=*/sweep % 2 == 1,
                    {.temperature = temperature,
                     .iterations = options.sinkhorn_iterations});
    const bool still_rising = value > before * (1 + options.hold_gain);
    if (!still_rising) temperature *= options.cooling;
    if (temperature < options.last_temperature) break;
    before = std::max(before, value);
  }
  return match.Solve();
}

}  // namespace rebasin
