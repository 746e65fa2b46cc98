// Runs a check with each instruction set of this machine in turn.

#ifndef REBASIN_TESTS_SUPPORT_TARGETS_H_
#define REBASIN_TESTS_SUPPORT_TARGETS_H_

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

namespace rebasin {

template <typename Check>
void ForEachTarget(const Check& check) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace rebasin

#endif  // REBASIN_TESTS_SUPPORT_TARGETS_H_
