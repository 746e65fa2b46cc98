// Formats numbers for display, independent of the locale.

#ifndef REBASIN_REPORT_NUMBERS_H_
#define REBASIN_REPORT_NUMBERS_H_

#include <string>
#include <vector>

namespace rebasin {

// Formats the numbers of one axis as decimals with the necessary digits: evenly
// spaced ones with the same number of decimals ("0.0", "0.5"), others each with
// its own ("0.05", "1", "20"). If decimals would be long, uses powers of ten:
// "2·10⁻⁶".
std::vector<std::string> NumberTexts(const std::vector<double>& values);

}  // namespace rebasin

#endif  // REBASIN_REPORT_NUMBERS_H_
