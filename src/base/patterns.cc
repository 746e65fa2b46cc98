#include "base/patterns.h"

#include <fnmatch.h>

#include <algorithm>

namespace rebasin {

bool MatchesAnyPattern(const std::string& name,
                       const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& glob) {
    return glob == name || fnmatch(glob.c_str(), name.c_str(), 0) == 0;
  });
}

}  // namespace rebasin
