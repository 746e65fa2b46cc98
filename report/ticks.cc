#include "report/ticks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rebasin/error.h"
#include "report/numbers.h"

namespace rebasin {
namespace {

// Relative tolerance, so that ticks at the ends of a range are kept.
constexpr double kSlack = 1e-9;

// Below this, doubles are denormal and steps underflow.
constexpr double kTiny = 1e-280;

// True for a range that is too narrow for distinct steps.
bool IsPoint(const Range& range) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  return range.width() <= size * 1e-9 + kTiny;
}

Range Opened(const Range& range, bool only_positive) {
  if (only_positive) {
    const bool open = range.high / range.low < 1 + 1e-9;
    return open ? Range{range.low / 2, range.high * 2} : range;
  }
  if (!IsPoint(range)) return range;
  const double value = range.low;
  const double margin = std::abs(value) < kTiny ? 1 : std::abs(value) / 10;
  return {value - margin, value + margin};
}

// The multiples m * 10^e of the given factors m inside the range, in order.
std::vector<double> Multiples(const Range& range,
                              const std::vector<double>& factors, int every) {
  std::vector<double> values;
  const int first = static_cast<int>(std::floor(std::log10(range.low)));
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  for (int e = first; e <= last; ++e) {
    if (e % every != 0) continue;
    for (double factor : factors) {
      const double value = factor * std::pow(10.0, e);
      const bool inside = value >= range.low * (1 - kSlack) &&
                          value <= range.high * (1 + kSlack);
      if (inside) values.push_back(value);
    }
  }
  return values;
}

}  // namespace

Range RangeOf(const std::vector<const std::vector<double>*>& lists,
              bool only_positive) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Range range{kInfinity, -kInfinity};
  for (const std::vector<double>* list : lists) {
    for (double value : *list) {
      if (!std::isfinite(value) || (only_positive && value <= 0)) continue;
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  }
  if (range.low > range.high) {
    throw Error(ErrorCode::kUsage, "there is no finite value to draw");
  }
  // Must remain finite after extending and padding.
  if (!std::isfinite(4 * range.width()) || !std::isfinite(4 * range.high) ||
      !std::isfinite(4 * range.low)) {
    throw Error(ErrorCode::kUsage, "the values are too large to draw");
  }
  return Opened(range, only_positive);
}

Range Padded(const Range& range, double share) {
  const double margin = range.width() * share;
  return {range.low - margin, range.high + margin};
}

Range LogPadded(const Range& range, double share) {
  // The ratio of the ends may overflow double.
  const double factor =
      std::exp(share * (std::log(range.high) - std::log(range.low)));
  const double low = range.low / factor, high = range.high * factor;
  return {low > 0 ? low : range.low, std::isfinite(high) ? high : range.high};
}

double NiceStep(double width, int most) {
  const double least = width / most * (1 - kSlack);
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

std::vector<double> LinearValues(const Range& range, int most) {
  const double step = NiceStep(range.width(), most);
  const double first = std::ceil(range.low / step - kSlack);
  const double last = std::floor(range.high / step + kSlack);
  std::vector<double> values;
  if (!(last - first <= most)) return values;  // no such step exists
  for (double i = first; i <= last; ++i) {
    values.push_back(i == 0 ? 0 : i * step);  // avoids negative zero
  }
  return values;
}

std::vector<double> LogValues(const Range& range, int most) {
  const auto limit = static_cast<size_t>(most);
  for (const auto& factors :
       {std::vector<double>{1, 2, 5}, std::vector<double>{1, 3},
        std::vector<double>{1}}) {
    auto values = Multiples(range, factors, 1);
    if (values.size() < 2) return LinearValues(range, most);
    if (values.size() <= limit) return values;
  }
  int every = 2;
  while (Multiples(range, {1}, every).size() > limit) ++every;
  return Multiples(range, {1}, every);
}

std::vector<Tick> LinearTicks(const Range& range, int most) {
  return Labelled(LinearValues(range, most));
}

std::vector<Tick> LogTicks(const Range& range, int most) {
  return Labelled(LogValues(range, most));
}

std::vector<Tick> Labelled(const std::vector<double>& values) {
  const std::vector<std::string> labels = NumberTexts(values);
  std::vector<Tick> ticks;
  for (size_t i = 0; i < values.size(); ++i) {
    ticks.push_back({values[i], labels[i]});
  }
  return ticks;
}

}  // namespace rebasin
