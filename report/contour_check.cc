#include "report/contour_check.h"

#include <algorithm>
#include <cmath>

#include "rebasin/error.h"

namespace rebasin {
namespace {

[[noreturn]] void Fail(const std::string& message) {
  throw Error(ErrorCode::kUsage, "a map " + message);
}

void CheckSteps(const std::vector<double>& places, const std::string& name) {
  if (places.size() < 2) Fail("needs two places on " + name + " at least");
  const double step =
      (places.back() - places.front()) / static_cast<double>(places.size() - 1);
  if (!std::isfinite(step))
    Fail("has places on " + name + " that are no numbers");
  for (size_t i = 1; i < places.size(); ++i) {
    const double found = places[i] - places[i - 1];
    const bool even = found > 0 && std::abs(found - step) <= 1e-6 * step;
    if (!even) Fail("needs ascending equal steps on " + name);
  }
}

bool IsFinite(const MapPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

}  // namespace

void CheckContour(const Contour& contour) {
  CheckSteps(contour.x, "x");
  CheckSteps(contour.y, "y");
  const size_t expected = contour.x.size() * contour.y.size();
  if (contour.z.size() != expected) {
    Fail("of " + std::to_string(contour.y.size()) + " rows and " +
         std::to_string(contour.x.size()) + " columns needs " +
         std::to_string(expected) + " values, not " +
         std::to_string(contour.z.size()));
  }
  RangeOf({&contour.z});  // throws if none is finite
  const bool points =
      std::all_of(contour.points.begin(), contour.points.end(), IsFinite);
  const bool paths = std::all_of(
      contour.paths.begin(), contour.paths.end(), [](const MapPath& path) {
        return IsFinite(path.from) && IsFinite(path.to);
      });
  if (!points || !paths) Fail("has marks that are not finite");
}

Range Extent(const Contour& contour, bool along_x) {
  const std::vector<double>& grid = along_x ? contour.x : contour.y;
  std::vector<double> marks;
  const auto add = [&](const MapPoint& point) {
    marks.push_back(along_x ? point.x : point.y);
  };
  for (const MapPoint& point : contour.points) add(point);
  for (const MapPath& path : contour.paths) {
    add(path.from);
    add(path.to);
  }
  const Range inner = RangeOf({&grid});
  const Range outer = RangeOf({&grid, &marks});
  // Marks outside the grid get a margin to the edge.
  const double margin = outer.width() * 0.05;
  return {outer.low < inner.low ? outer.low - margin : inner.low,
          outer.high > inner.high ? outer.high + margin : inner.high};
}

}  // namespace rebasin
