#include "report/levels.h"

#include <algorithm>
#include <cmath>

#include "report/ticks.h"

namespace rebasin {
namespace {

constexpr double kWide = 30;  // from this ratio on, levels are logarithmic

std::vector<double> SortedFinite(const std::vector<double>& z) {
  std::vector<double> sorted;
  for (double value : z) {
    if (std::isfinite(value)) sorted.push_back(value);
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// A few values near zero must not extend the logarithmic scale of a loss by
// decades.
double LowEnd(const std::vector<double>& sorted) {
  return sorted[sorted.size() / 20];
}

}  // namespace

std::vector<double> ChooseLevels(const std::vector<double>& z, int most) {
  const std::vector<double> sorted = SortedFinite(z);
  const double low = sorted.front(), high = sorted.back();
  if (high - low <= 1e-9 * std::max(std::abs(low), std::abs(high))) return {};
  const double start = LowEnd(sorted);
  const bool wide = low >= 0 && start > 0 && high / start > kWide;
  std::vector<double> levels =
      wide ? LogValues({start, high}, most) : LinearValues({low, high}, most);
  std::erase_if(levels,
                [&](double level) { return level <= low || level >= high; });
  return levels;
}

}  // namespace rebasin
