// Matches names against shell patterns with * ? []. A name matches itself, even
// if it contains these characters.

#ifndef REBASIN_BASE_PATTERNS_H_
#define REBASIN_BASE_PATTERNS_H_

#include <string>
#include <vector>

namespace rebasin {

bool MatchesAnyPattern(const std::string& name,
                       const std::vector<std::string>& patterns);

}  // namespace rebasin

#endif  // REBASIN_BASE_PATTERNS_H_
