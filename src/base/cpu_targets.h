// The instruction sets of Highway that the processor supports.
//
// Highway's library could tell, but it measures the clock when it is loaded,
// which took 4 of the 10 ms that the program needs to start. So on x86 only its
// headers are used.

#ifndef REBASIN_BASE_CPU_TARGETS_H_
#define REBASIN_BASE_CPU_TARGETS_H_

#include <cstdint>

namespace rebasin {

// A bit for each of Highway's targets (HWY_AVX2, ...) that the processor can
// run.
int64_t CpuTargets();

// Restricts dispatch to these targets; 0 removes the restriction. For tests
// only; must not be called while kernels run.
void LimitCpuTargets(int64_t targets);

}  // namespace rebasin

#endif  // REBASIN_BASE_CPU_TARGETS_H_
