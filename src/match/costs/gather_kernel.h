// The inner loop of gathering, for the instruction set in use.

#ifndef REBASIN_MATCH_COSTS_GATHER_KERNEL_H_
#define REBASIN_MATCH_COSTS_GATHER_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/elements.h"

namespace rebasin {

// The largest number of columns of a tile of the matrix product.
inline constexpr size_t kMaxGatheredUnits = 32;

// Several steps of units at different places in memory: element (u, s) is
// data[units[u] + steps[s]] and is stored at out[s * width + u].
struct GatherPanel {
  Elements data;
  std::span<const int64_t> units;  // at most kMaxGatheredUnits
  std::span<const int64_t> steps;
  std::span<const uint8_t> runs;  // RunsOf() of these steps
  int64_t width = 0;
};

// The number of consecutive offsets in memory from each step on, up to four.
std::vector<uint8_t> RunsOf(std::span<const int64_t> steps);

void StoreGathered(const GatherPanel& panel, float* out);
void SubtractGathered(const GatherPanel& panel, float* out);

// The same for units that are adjacent in memory, of which the first is at
// data[steps[s]]; any number of them.
struct AdjacentPanel {
  Elements data;
  int64_t units = 0;
  std::span<const int64_t> steps;
  int64_t width = 0;
};

void StoreAdjacent(const AdjacentPanel& panel, float* out);
void SubtractAdjacent(const AdjacentPanel& panel, float* out);

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_GATHER_KERNEL_H_
