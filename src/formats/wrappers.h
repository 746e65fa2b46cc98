// Prefixes that training tools add to all names of a model.

#ifndef REBASIN_FORMATS_WRAPPERS_H_
#define REBASIN_FORMATS_WRAPPERS_H_

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "rebasin/checkpoint.h"

namespace rebasin {

// The prefixes of DataParallel and torch.compile, which are never part of a
// model's own names.
inline constexpr std::array<std::string_view, 2> kWrappers = {"module.",
                                                              "_orig_mod."};
// Also that of Lightning, which is part of the names of some architectures.
inline constexpr std::array<std::string_view, 3> kAnyWrapper = {
    "module.", "_orig_mod.", "model."};

// Returns the longest sequence of wrappers that is a proper prefix of all
// names; may be empty.
std::string WrapperPrefix(const Checkpoint& model,
                          std::span<const std::string_view> wrappers);

// Returns the model without `prefix`, with which all names must start.
Checkpoint WithoutPrefix(const Checkpoint& model, const std::string& prefix);

}  // namespace rebasin

#endif  // REBASIN_FORMATS_WRAPPERS_H_
