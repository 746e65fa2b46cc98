// Numbers as text that people read, the same in every locale.

#ifndef REBASIN_REPORT_NUMBERS_H_
#define REBASIN_REPORT_NUMBERS_H_

#include <string>
#include <vector>

namespace rebasin {

// The numbers of one axis, as plain decimals with the digits that they need:
// evenly spaced ones all have the same number of decimals ("0.0", "0.5"),
// others each its own ("0.05", "1", "20"). Where plain decimals would be long,
// multiples of powers of ten: "2·10⁻⁶".
std::vector<std::string> NumberTexts(const std::vector<double>& values);

}  // namespace rebasin

#endif  // REBASIN_REPORT_NUMBERS_H_
