// Names in specs: what a group may be called, and suggestions for misspelt
// names.

#ifndef REBASIN_SYMMETRY_NAMES_H_
#define REBASIN_SYMMETRY_NAMES_H_

#include <span>
#include <string>
#include <string_view>

namespace rebasin {

// Letters, digits and "_./:-", starting with a letter or underscore, so that
// a name can stand in an axis expression.
bool IsGroupName(std::string_view name);

// 'did you mean "..."?' with the candidate nearest in edit distance, or ""
// where none is near.
std::string DidYouMean(std::string_view name,
                       std::span<const std::string> candidates);

}  // namespace rebasin

#endif  // REBASIN_SYMMETRY_NAMES_H_
