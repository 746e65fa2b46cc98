// Calls the version of a kernel for the best instruction set of the processor.
// Replaces Highway's HWY_EXPORT and HWY_DYNAMIC_DISPATCH, which need its
// library (see base/cpu_targets.h), with the same usage:
//
//   REBASIN_EXPORT(Add);
//   void AddAll(float* c) { REBASIN_DISPATCH(Add)(c); }
//
// Include it after <hwy/highway.h>.

#ifndef REBASIN_BASE_DISPATCH_H_
#define REBASIN_BASE_DISPATCH_H_

#include <hwy/targets.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/cpu_targets.h"

namespace rebasin {

// Index of the best kernel in a table that has an entry for each target of the
// architecture, best first, and one for the baseline. `generated`: the targets
// for which the file was compiled.
inline size_t KernelIndex(int64_t generated) {
  constexpr int kShift = HWY_HIGHEST_TARGET_BIT + 1 - HWY_MAX_DYNAMIC_TARGETS;
  constexpr int64_t kBaseline = int64_t{1} << HWY_MAX_DYNAMIC_TARGETS;
  const int64_t usable =
      ((CpuTargets() & generated) >> kShift) & (kBaseline - 1);
  return static_cast<size_t>(
      std::countr_zero(static_cast<uint64_t>(usable | kBaseline)));
}

}  // namespace rebasin

#define REBASIN_EXPORT(kernel)                                            \
  static decltype(&HWY_STATIC_DISPATCH(kernel)) const kernel##Table[] = { \
      HWY_CHOOSE_TARGET_LIST(kernel), HWY_CHOOSE_FALLBACK(kernel)}

#define REBASIN_DISPATCH(kernel) \
  (*kernel##Table[::rebasin::KernelIndex(HWY_TARGETS)])

#endif  // REBASIN_BASE_DISPATCH_H_
