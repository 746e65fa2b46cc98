// Lists of names for messages, of limited length.

#ifndef REBASIN_BASE_QUOTED_LIST_H_
#define REBASIN_BASE_QUOTED_LIST_H_

#include <string>
#include <vector>

namespace rebasin {

// "a", "b" and 7 more: at most ten names, as Quoted shows them.
std::string QuotedList(const std::vector<std::string>& names);

}  // namespace rebasin

#endif  // REBASIN_BASE_QUOTED_LIST_H_
