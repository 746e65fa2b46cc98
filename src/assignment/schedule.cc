#include "assignment/schedule.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "assignment/auction.h"

namespace rebasin::assignment {
namespace {

// Measured for uniform costs, Gram matrices, products and activations with n
// from 512 to 4096. The time changes little within a factor of two of each
// value.
constexpr double kFirstOfGap = 0.3;     // times the gap of a row's two minima,
constexpr double kFirstOfRange = 0.02;  // but not above this times its range,
constexpr double kFirstAtLeast = 1e-4;  // nor below this
constexpr double kFirstOfMove = 0.3;    // warm: times the move of the duals
constexpr double kFallByPhase = 7;
constexpr double kFallInTotal = 2000;
constexpr double kLastOfRange = 0.01;  // divided by n, at most
constexpr int64_t kMaxBidsPerRow = 64;
constexpr size_t kFewFreeRows = 32;  // one in 32: paths beat another phase

// Zeros are left out: constant rows and ties say nothing about the scale.
double MedianAboveZero(std::vector<double> values) {
  std::erase_if(values, [](double x) { return !(x > 0); });
  if (values.empty()) return 0;
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double TypicalGap(const Survey& survey) {
  std::vector<double> gaps;
  for (const auto& minima : survey.minima) {
    gaps.push_back(minima.second - minima.best);
  }
  return MedianAboveZero(std::move(gaps));
}

std::vector<float> ScaledRanges(const Survey& survey, double scale) {
  std::vector<float> ranges;
  for (const double range : survey.ranges) {
    ranges.push_back(static_cast<float>(range * scale));
  }
  return ranges;
}

}  // namespace

Schedule ChooseSchedule(const Survey& survey) {
  const double range = MedianAboveZero(survey.ranges);
  const double first = std::clamp(kFirstOfGap * TypicalGap(survey),
                                  kFirstAtLeast * range, kFirstOfRange * range);
  const double last = range * kLastOfRange / survey.ranges.size();
  return {first, std::min(last, first / kFallInTotal)};
}

Schedule ChooseWarmSchedule(const Survey& survey, std::span<const double> rows,
                            std::span<const double> former_rows) {
  Schedule schedule = ChooseSchedule(survey);
  std::vector<double> moved;
  for (size_t i = 0; i < former_rows.size(); ++i) {
    moved.push_back(std::abs(rows[i] - former_rows[i]));
  }
  const double typical = MedianAboveZero(std::move(moved));
  schedule.first =
      std::clamp(typical * kFirstOfMove, schedule.last, schedule.first);
  return schedule;
}

void RunPhases(const Problem& problem, const Survey& survey,
               const Schedule& schedule, Duals* duals, Matching* matching) {
  const double scale = std::abs(problem.scale);
  Auction auction(problem, duals->prices, ScaledRanges(survey, scale));
  const int64_t max_bids = kMaxBidsPerRow * problem.matrix.n;
  double epsilon = schedule.first;
  while (true) {
    auction.Run(static_cast<float>(epsilon * scale), max_bids, matching);
    if (epsilon <= schedule.last) break;
    const double next = std::max(epsilon / kFallByPhase, schedule.last);
    auction.LowerExcessPrices(static_cast<float>(epsilon * scale),
                              static_cast<float>(next * scale), matching);
    if (matching->CountFree() <= problem.n() / kFewFreeRows) break;
    epsilon = next;
  }
  duals->prices = auction.Prices();
}

}  // namespace rebasin::assignment
