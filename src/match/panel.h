// Panels: a slice of a tensor, gathered into the dense matrix that a product
// wants.

#ifndef REBASIN_MATCH_PANEL_H_
#define REBASIN_MATCH_PANEL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "tensor/gemm.h"

namespace rebasin {

// Which of the two indices of a panel is contiguous in it. Chosen so that
// packing reads the tensor in long runs.
enum class PanelOrder {
  kUnitMajor,      // [unit][k]
  kContractMajor,  // [k][unit]
};

// What to gather: element (i, k) lies at data[units[i] + contracted[k]].
struct PanelSource {
  const float* data = nullptr;
  std::span<const int64_t> units;
  std::span<const int64_t> contracted;
  // Where not empty, data[units[i] + subtracted[k]] is subtracted.
  std::span<const int64_t> subtracted;
};

// Packs the panel into `buffer` (resized as needed) and returns it as a GEMM
// operand of shape [units x k]. Where the panel already lies in memory as GEMM
// wants it, returns that instead and copies nothing.
GemmOperand Pack(const PanelSource& source, PanelOrder order,
                 std::vector<float>& buffer, ThreadPool& pool);

}  // namespace rebasin

#endif  // REBASIN_MATCH_PANEL_H_
