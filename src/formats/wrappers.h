// What training tools put in front of every name of a model.

#ifndef REBASIN_FORMATS_WRAPPERS_H_
#define REBASIN_FORMATS_WRAPPERS_H_

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "rebasin/checkpoint.h"

namespace rebasin {

// DataParallel's and torch.compile's: never part of a model's own names.
inline constexpr std::array<std::string_view, 2> kWrappers = {"module.",
                                                              "_orig_mod."};
// And Lightning's, which some architectures have for a part of their own.
inline constexpr std::array<std::string_view, 3> kAnyWrapper = {
    "module.", "_orig_mod.", "model."};

// The longest sequence of wrappers that all names start with; may be empty. No
// name consists of it alone.
std::string WrapperPrefix(const Checkpoint& model,
                          std::span<const std::string_view> wrappers);

// The model with `prefix`, with which all names start, taken off.
Checkpoint WithoutPrefix(const Checkpoint& model, const std::string& prefix);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_WRAPPERS_H_
