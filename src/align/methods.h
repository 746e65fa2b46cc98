// The functions of the methods that need no data.

#ifndef REBASIN_ALIGN_METHODS_H_
#define REBASIN_ALIGN_METHODS_H_

#include <memory>
#include <span>

#include "rebasin/align.h"

namespace rebasin {

using PlainAlignFunction =
    MatchResult (*)(const Checkpoint& a, const Checkpoint& b,
                    const std::shared_ptr<const Symmetry>& symmetry,
                    const MatchOptions& options, const Run& run);

// A row of AlignMethods() with the function that runs it.
struct AlignMethodRow {
  AlignMethod method;
  PlainAlignFunction function = nullptr;  // null: needs data; see nn/align.cc
  // True if the method itself finds the factors of scalings.
  bool scales = false;
};
std::span<const AlignMethodRow> AlignMethodRows();

}  // namespace rebasin

#endif  // REBASIN_ALIGN_METHODS_H_
