#include "base/quoted_list.h"

#include <algorithm>

#include "rebasin/error.h"

namespace rebasin {

std::string QuotedList(const std::vector<std::string>& names) {
  constexpr size_t kMost = 10;
  std::string text;
  const size_t shown = std::min(names.size(), kMost);
  for (size_t i = 0; i < shown; ++i) {
    text += (i > 0 ? ", " : "") + Quoted(names[i]);
  }
  if (names.size() == shown) return text;
  return text + " and " + std::to_string(names.size() - shown) + " more";
}

}  // namespace rebasin
