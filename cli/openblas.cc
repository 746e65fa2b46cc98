#include "cli/openblas.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace rebasin::cli {
namespace {

using Name = std::string_view;

// Kernels without AVX2 and those with it but without AVX-512, by the names
// that openblas_get_corename gives them. A name that is not here is one of
// AVX-512, or of a processor that came later.
constexpr std::array kNarrow = {
    Name("Unknown"),     Name("Generic"),    Name("Katmai"),
    Name("Coppermine"),  Name("Northwood"),  Name("Prescott"),
    Name("Banias"),      Name("Atom"),       Name("Core2"),
    Name("Penryn"),      Name("Dunnington"), Name("Nehalem"),
    Name("Athlon"),      Name("Opteron"),    Name("Opteron_SSE3"),
    Name("Barcelona"),   Name("Nano"),       Name("Sandybridge"),
    Name("Bobcat"),      Name("Bulldozer"),  Name("Piledriver"),
    Name("Steamroller"),
};
constexpr std::array kAvx2 = {Name("Haswell"), Name("Excavator"), Name("Zen")};

bool Contains(const auto& names, Name name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Empty if the system's BLAS cannot be asked.
std::string_view ChosenKernels() {
  void* const library = dlopen("libblas.so.3", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {};
  auto* const name = reinterpret_cast<const char* (*)()>(
      dlsym(library, "openblas_get_corename"));
  return name == nullptr ? std::string_view() : name();
}

}  // namespace

Vectors ProcessorVectors() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    return Vectors::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return Vectors::kAvx2;
  }
#endif
  return Vectors::kNarrow;
}

std::string_view BetterKernels(std::string_view chosen, Vectors vectors) {
  if (chosen.empty() || vectors == Vectors::kNarrow) return {};
  const bool narrow = Contains(kNarrow, chosen);
  if (vectors == Vectors::kAvx2) return narrow ? "HASWELL" : "";
  return narrow || Contains(kAvx2, chosen) ? "SKYLAKEX" : "";
}

void PrepareOpenBlas() {
  constexpr const char* kKernels = "OPENBLAS_CORETYPE";
  constexpr const char* kThreads = "OPENBLAS_NUM_THREADS";
  const Vectors vectors = ProcessorVectors();
  if (vectors == Vectors::kNarrow || getenv(kKernels) != nullptr) return;
  // It would start a thread for each processor, only to be asked its name.
  const bool threads_set = getenv(kThreads) != nullptr;
  if (!threads_set) setenv(kThreads, "1", /*overwrite=*/1);
  const std::string_view better = BetterKernels(ChosenKernels(), vectors);
  if (!threads_set) unsetenv(kThreads);
  if (!better.empty()) setenv(kKernels, better.data(), /*overwrite=*/1);
}

}  // namespace rebasin::cli
