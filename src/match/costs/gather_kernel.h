// The inner loop of gathering, for the processor at hand.

#ifndef REBASIN_MATCH_COSTS_GATHER_KERNEL_H_
#define REBASIN_MATCH_COSTS_GATHER_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rebasin {

// As many as a tile of the matrix product has columns at most.
inline constexpr size_t kMostGatheredUnits = 32;

// Units that lie apart in memory, for some steps: element (u, s) lies at
// data[units[u] + steps[s]] and goes to out[s * width + u].
struct GatherPanel {
  const float* data = nullptr;
  std::span<const int64_t> units;  // at most kMostGatheredUnits
  std::span<const int64_t> steps;
  std::span<const uint8_t> runs;  // RunsOf(), for these steps
  int64_t width = 0;
};

// How many steps from each on lie side by side in memory, up to four.
std::vector<uint8_t> RunsOf(std::span<const int64_t> steps);

void StoreGathered(const GatherPanel& panel, float* out);
void SubtractGathered(const GatherPanel& panel, float* out);

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_GATHER_KERNEL_H_
