// Valid names of groups in specs, and suggestions for misspelt names.

#ifndef REBASIN_SYMMETRY_NAMES_H_
#define REBASIN_SYMMETRY_NAMES_H_

#include <span>
#include <string>
#include <string_view>

namespace rebasin {

// Whether the name consists of letters, digits and "_./:-", starting with a
// letter or underscore. Such a name can be used in an axis expression.
bool IsGroupName(std::string_view name);

// Returns 'did you mean "..."?' with the candidate of the smallest edit
// distance, or "" if none is close.
std::string DidYouMean(std::string_view name,
                       std::span<const std::string> candidates);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_NAMES_H_
