#include "base/cpu_targets.h"

#include <hwy/targets.h>

#include <atomic>

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace rebasin {
namespace {

std::atomic<int64_t> limit = 0;  // 0: none

#if HWY_ARCH_X86

bool HasBit(unsigned leaf, unsigned in_ebx_or_ecx, bool ecx_register) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(leaf, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  return ((ecx_register ? ecx : ebx) >> in_ebx_or_ecx & 1) != 0;
}

// __builtin_cpu_supports also checks that the system saves the registers, but
// not every compiler knows these three names.
bool HasF16c() { return HasBit(1, 29, true); }
bool HasLzcnt() { return HasBit(0x80000001U, 5, true); }
bool HasVaes() { return HasBit(7, 9, true); }

bool HasSse4() {
  return __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
}

bool HasAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         HasF16c() && HasLzcnt();
}

bool HasAvx3() {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd");
}

bool HasAvx3Dl() {
  return __builtin_cpu_supports("avx512vnni") &&
         __builtin_cpu_supports("vpclmulqdq") &&
         __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("avx512vpopcntdq") &&
         __builtin_cpu_supports("avx512bitalg") &&
         __builtin_cpu_supports("gfni") && HasVaes();
}

// Each instruction set requires those before it.
int64_t FindTargets() {
  __builtin_cpu_init();
  int64_t targets = HWY_SCALAR | HWY_EMU128;
  if (!__builtin_cpu_supports("ssse3")) return targets;
  targets |= HWY_SSSE3;
  if (!HasSse4()) return targets;
  targets |= HWY_SSE4;
  if (!HasAvx2()) return targets;
  targets |= HWY_AVX2;
  if (!HasAvx3()) return targets;
  targets |= HWY_AVX3;
  return HasAvx3Dl() ? targets | HWY_AVX3_DL : targets;
}

#else

int64_t FindTargets() { return hwy::SupportedTargets(); }

#endif

}  // namespace

int64_t CpuTargets() {
  static const int64_t targets = FindTargets();
  const int64_t most = limit.load(std::memory_order_relaxed);
  return most == 0 ? targets : targets & most;
}

void LimitCpuTargets(int64_t targets) { limit = targets; }

}  // namespace rebasin
