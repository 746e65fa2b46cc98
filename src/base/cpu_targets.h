// Which of Highway's instruction sets the processor has.
//
// Highway's own library can say that, too, but it measures the clock whenever
// it is loaded, which took 4 of the 10 ms that the program needs to start. On
// x86 only its headers are used.

#ifndef REBASIN_BASE_CPU_TARGETS_H_
#define REBASIN_BASE_CPU_TARGETS_H_

#include <cstdint>

namespace rebasin {

// A bit for each of Highway's targets (HWY_AVX2, ...) that can be run here.
int64_t CpuTargets();

// From now on only these of them; 0: all again. For tests, and not while
// kernels run.
void LimitCpuTargets(int64_t targets);

}  // namespace rebasin

#endif  // REBASIN_BASE_CPU_TARGETS_H_
