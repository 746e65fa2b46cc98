// How much memory costs may take.

#ifndef REBASIN_MATCH_COST_MEMORY_H_
#define REBASIN_MATCH_COST_MEMORY_H_

#include <cstdint>
#include <span>

#include "match/descent/descent.h"
#include "match/problem.h"
#include "rebasin/match.h"

namespace rebasin {

// What the program needs besides costs: its code's data, packed operands and
// tables of offsets. A constant, so that the same option always means the same
// costs, whatever else the process holds.
inline constexpr int64_t kMemoryBesideCosts = int64_t{80} << 20;

// The memory for costs that are kept: that of the options, or, with a bound for
// all memory, what remains beside the largest costs that are not. Throws
// Error(kLimit) if the costs of one group alone do not fit.
int64_t CostMemory(const Problem& problem, const MatchOptions& options,
                   ThreadPool& pool);

// The largest amount of memory that costs and solving take at a time.
int64_t PeakOfCosts(std::span<const TreeWork> work);

}  // namespace rebasin

#endif  // REBASIN_MATCH_COST_MEMORY_H_
