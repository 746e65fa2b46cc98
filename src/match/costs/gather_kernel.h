// The inner loop of gathering, for the instruction set in use.

#ifndef REBASIN_MATCH_COSTS_GATHER_KERNEL_H_
#define REBASIN_MATCH_COSTS_GATHER_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rebasin {

// The largest number of columns of a tile of the matrix product.
inline constexpr size_t kMaxGatheredUnits = 32;

// Several steps of units at different places in memory: element (u, s) is
// data[units[u] + steps[s]] and is stored at out[s * width + u].
struct GatherPanel {
  const float* data = nullptr;
  std::span<const int64_t> units;  // at most kMaxGatheredUnits
  std::span<const int64_t> steps;
  std::span<const uint8_t> runs;  // RunsOf() of these steps
  int64_t width = 0;
};

// The number of consecutive offsets in memory from each step on, up to four.
std::vector<uint8_t> RunsOf(std::span<const int64_t> steps);

void StoreGathered(const GatherPanel& panel, float* out);
void SubtractGathered(const GatherPanel& panel, float* out);

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_GATHER_KERNEL_H_
