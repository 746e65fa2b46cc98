// Data sets in .npz archives: an array x of examples and, if known, an array y
// of labels.

#ifndef REBASIN_DATA_NPZ_H_
#define REBASIN_DATA_NPZ_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "data/examples.h"
#include "formats/npz.h"

namespace rebasin {

// Labels from here on are taken for something else than classes.
inline constexpr int64_t kMaxClasses = 1'000'000;

// x has one example for each index of its first axis: bytes (u1) or finite
// floating-point numbers; [N, H, W] is taken as images of one channel. y has
// one whole number for each. Other arrays are ignored, and so are other files,
// of which the options' `warn` is told. `source` starts messages.
Examples ReadNpz(std::span<const std::byte> file, const std::string& source,
                 const NpzOptions& options = {});

}  // namespace rebasin

#endif  // REBASIN_DATA_NPZ_H_
