// Runs a check with each instruction set of this machine in turn.

#ifndef REBASIN_TESTS_SUPPORT_TARGETS_H_
#define REBASIN_TESTS_SUPPORT_TARGETS_H_

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

#include "base/cpu_targets.h"

namespace rebasin {

template <typename Check>
void ForEachTarget(const Check& check) {
  for (int64_t left = CpuTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    const int64_t target = left & -left;
    LimitCpuTargets(target);
    SCOPED_TRACE(hwy::TargetName(target));
    check();
  }
  LimitCpuTargets(0);
}

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_TARGETS_H_
