// Slices of tensors as operands of a matrix product, gathered and converted to
// floats during packing.

#ifndef REBASIN_MATCH_COSTS_GATHER_H_
#define REBASIN_MATCH_COSTS_GATHER_H_

#include <cstdint>
#include <span>

#include "tensor/elements.h"
#include "tensor/gemm.h"

namespace rebasin {

// Element (unit u, step s) is data[units[u] + steps[s]]. The tables must
// outlive the packer.
struct GatherSource {
  Elements data;
  std::span<const int64_t> units;
  std::span<const int64_t> steps;
  // If not empty, data[units[u] + subtracted[s]] is subtracted.
  std::span<const int64_t> subtracted = {};
};

GemmPacker PackGathered(const GatherSource& source);

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_GATHER_H_
