// Data sets in .npz archives: an array x of examples and optionally an array y
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

// Larger labels are not accepted as classes.
inline constexpr int64_t kMaxClasses = 1'000'000;

// x has one example for each index of its first axis: bytes (u1) or finite
// floating-point numbers; [N, H, W] means images with one channel. y has one
// integer for each example. Other arrays and files are ignored, with a call of
// the options' `warn` for files. `source` is the start of messages.
Examples ReadNpz(std::span<const std::byte> file, const std::string& source,
                 const NpzOptions& options = {});

}  // namespace rebasin

#endif  // REBASIN_DATA_NPZ_H_
