// Chooses the levels of a map.

#ifndef REBASIN_REPORT_LEVELS_H_
#define REBASIN_REPORT_LEVELS_H_

#include <vector>

namespace rebasin {

// Returns at most `most` round numbers in ascending order, inside the range of
// the finite values of `z`: evenly spaced, or, if the values are not negative
// and span more than one and a half decades, like 1, 2, 5, 10. Empty if all
// values are equal. Requires a finite value.
std::vector<double> ChooseLevels(const std::vector<double>& z, int most);

}  // namespace rebasin

#endif  // REBASIN_REPORT_LEVELS_H_
