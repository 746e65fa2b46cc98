// Where axes have their numbers, and how these are written.

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

// The least range that holds all that is finite (and positive, if asked for) in
// the lists; a range of no width is opened a little. Throws Error(kUsage) if
// there is nothing finite, or the width is beyond double.
Range RangeOf(const std::vector<const std::vector<double>*>& lists,
              bool only_positive = false);

// The range with `share` of its width added at each end.
Range Padded(const Range& range, double share);
// The same on a logarithmic axis. Requires range.low > 0.
Range LogPadded(const Range& range, double share);

// The step of the form 1, 2 or 5 times a power of ten that divides `width` into
// about, and not more than, `most` parts.
double NiceStep(double width, int most);

// Multiples of a nice step within the range.
std::vector<Tick> LinearTicks(const Range& range, int most);

// Powers of ten within the range, with 2 and 5 times them (or 3 times) where
// these are few, or every second or third power where they are many. Linear
// ones where the range is too narrow for two of these. Requires range.low > 0.
std::vector<Tick> LogTicks(const Range& range, int most);

// The multiples of a nice step, or of the numbers that LogTicks would choose,
// as values alone.
std::vector<double> LinearValues(const Range& range, int most);
std::vector<double> LogValues(const Range& range, int most);

// Labels with as many digits as tell the values apart; very large and very
// small ones as multiples of powers of ten. The minus is a proper one.
std::vector<Tick> Labelled(const std::vector<double>& values);

}  // namespace rebasin

#endif  // REBASIN_REPORT_TICKS_H_
