// Chooses the ticks of axes and formats their numbers.

#ifndef REBASIN_REPORT_TICKS_H_
#define REBASIN_REPORT_TICKS_H_

#include <string>
#include <vector>

namespace rebasin {

struct Range {
  double low = 0;
  double high = 0;

  double width() const { return high - low; }
};

struct Tick {
  double value = 0;
  std::string label = {};
};

// Returns the smallest range of all finite (and, if requested, positive) values
// in the lists; a range of width zero is extended a little. Throws
// Error(kUsage) if there is no finite value, or the width overflows double.
Range RangeOf(const std::vector<const std::vector<double>*>& lists,
              bool only_positive = false);

// Returns the range with `share` of its width added at each end.
Range Padded(const Range& range, double share);
// The same on a logarithmic axis. Requires range.low > 0.
Range LogPadded(const Range& range, double share);

// Returns the step of the form 1, 2 or 5 times a power of ten that divides
// `width` into about, and at most, `most` parts.
double NiceStep(double width, int most);

// Multiples of a nice step inside the range.
std::vector<Tick> LinearTicks(const Range& range, int most);

// Powers of ten inside the range, with 2 and 5 times them (or 3 times) if these
// are few, or every second or third power if they are many. Linear ticks if the
// range contains fewer than two of these. Requires range.low > 0.
std::vector<Tick> LogTicks(const Range& range, int most);

// The values of LinearTicks, and those that LogTicks would choose.
std::vector<double> LinearValues(const Range& range, int most);
std::vector<double> LogValues(const Range& range, int most);

// Adds labels with as many digits as distinguish the values; very large and
// very small ones as multiples of powers of ten. Uses a true minus sign.
std::vector<Tick> Labelled(const std::vector<double>& values);

}  // namespace rebasin

#endif  // REBASIN_REPORT_TICKS_H_
