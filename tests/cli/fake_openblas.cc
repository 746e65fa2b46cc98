// A BLAS that says that it is OpenBLAS and has chosen the kernels named in
// FAKE_KERNELS.

#include <cstdlib>

extern "C" const char* openblas_get_corename() {
  const char* const name = std::getenv("FAKE_KERNELS");
  return name == nullptr ? "Unknown" : name;
}
