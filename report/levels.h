// At which values a map changes its colour.

#ifndef REBASIN_REPORT_LEVELS_H_
#define REBASIN_REPORT_LEVELS_H_

#include <vector>

namespace rebasin {

// Round numbers in ascending order, some within the range of what is finite in
// `z`, at most `most`: evenly spaced, or, if the values are not negative and
// span more than a decade and a half, like 1, 2, 5, 10. None if all values are
// the same. Requires a finite value.
std::vector<double> ChooseLevels(const std::vector<double>& z, int most);

}  // namespace rebasin

#endif  // REBASIN_REPORT_LEVELS_H_
