// Whether OpenBLAS makes use of the processor.

#ifndef REBASIN_CLI_OPENBLAS_H_
#define REBASIN_CLI_OPENBLAS_H_

#include <string_view>

namespace rebasin::cli {

enum class Vectors { kNarrow, kAvx2, kAvx512 };

// The widest vectors of this processor that OpenBLAS has kernels for.
Vectors ProcessorVectors();

// What OPENBLAS_CORETYPE has to be on a processor with these vectors, where
// OpenBLAS itself chooses the kernels `chosen`. Empty: leave it alone.
std::string_view BetterKernels(std::string_view chosen, Vectors vectors);

// OpenBLAS finds a processor in a table and takes one that it does not know
// for twenty years old. This loads the system's BLAS, asks it, and if its
// kernels are narrower than the processor, sets OPENBLAS_CORETYPE for the
// program that is started next. Takes 2 to 5 ms. Does nothing if somebody has
// set the variable or if the BLAS is not OpenBLAS. Not for programs with more
// than one thread: it changes the environment.
void PrepareOpenBlas();

}  // namespace rebasin::cli

#endif  // REBASIN_CLI_OPENBLAS_H_
