// Subsets of data sets. Random choices are made for each class separately, so
// they do not depend on other classes.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "data/seeds.h"
#include "data/stratified.h"
#include "rebasin/error.h"
#include "rebasin/nn/data.h"

namespace rebasin {
namespace {

using Rows = std::vector<int64_t>;

// Separate from the streams of the loader and of HoldOut.
constexpr uint64_t kDrawStream = 0x64726177;

void RequireLabels(const Dataset& dataset) {
  if (dataset.has_labels()) return;
  throw Error(ErrorCode::kUsage,
              dataset.name() + ": the data set has no labels to select by");
}

void RequireShare(double share, double least) {
  if (share >= least && share <= 1) return;  // false for NaN too
  throw Error(ErrorCode::kUsage, "a share of " + std::to_string(share) +
                                     " is not between 0 and 1");
}

// Shares are integers in billionths. Then 1 - p is exact, and p and 1 - p cut
// at the same position in spite of rounding.
constexpr int64_t kWhole = 1'000'000'000;

int64_t Billionths(double share) { return std::llround(share * kWhole); }

int64_t CountOf(int64_t share, int64_t examples) {
  return (share * examples + kWhole / 2) / kWhole;
}

// The rows of each class, in an order that depends on seed and class.
std::vector<Rows> ShuffledClasses(const Dataset& dataset, uint64_t seed) {
  const int64_t classes = std::max<int64_t>(dataset.classes(), 1);
  std::vector<Rows> rows(static_cast<size_t>(classes));
  for (int64_t i = 0; i < dataset.size(); ++i) {
    const int32_t label = dataset.has_labels() ? dataset.label(i) : 0;
    rows[static_cast<size_t>(label)].push_back(i);
  }
  for (size_t label = 0; label < rows.size(); ++label) {
    Random(DeriveSeed(seed, label)).Shuffle(std::span(rows[label]));
  }
  return rows;
}

Dataset Sorted(const Dataset& dataset, Rows rows) {
  std::sort(rows.begin(), rows.end());
  return dataset.Select(rows);
}

}  // namespace

Dataset SelectFirst(const Dataset& dataset, int64_t count) {
  if (count >= dataset.size()) return dataset;
  Rows rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return dataset.Select(rows);
}

Dataset SelectRandom(const Dataset& dataset, int64_t count, uint64_t seed) {
  Rows rows = StratifiedOrder(dataset, DeriveSeed(seed, kDrawStream));
  rows.resize(static_cast<size_t>(std::min(count, dataset.size())));
  return dataset.Select(rows);
}

Dataset SelectClasses(const Dataset& dataset,
                      std::span<const int64_t> classes) {
  RequireLabels(dataset);
  Rows rows;
  std::vector<bool> wanted(static_cast<size_t>(dataset.classes()));
  std::vector<bool> found(wanted.size());
  for (const int64_t label : classes) {
    if (label < 0 || label >= dataset.classes()) {
      throw Error(ErrorCode::kUsage, dataset.name() + ": there is no class " +
                                         std::to_string(label) + " among its " +
                                         std::to_string(dataset.classes()) +
                                         " classes");
    }
    wanted[static_cast<size_t>(label)] = true;
  }
  for (int64_t i = 0; i < dataset.size(); ++i) {
    const size_t label = static_cast<size_t>(dataset.label(i));
    if (!wanted[label]) continue;
    found[label] = true;
    rows.push_back(i);
  }
  for (const int64_t label : classes) {
    if (found[static_cast<size_t>(label)]) continue;
    throw Error(ErrorCode::kUsage, dataset.name() +
                                       ": there is no example of class " +
                                       std::to_string(label));
  }
  return dataset.Select(rows);
}

Dataset SelectFraction(const Dataset& dataset, double fraction, uint64_t seed) {
  RequireShare(fraction, std::numeric_limits<double>::min());
  Rows rows;
  for (const Rows& all : ShuffledClasses(dataset, seed)) {
    if (all.empty()) continue;
    const int64_t count = std::max<int64_t>(
        CountOf(Billionths(fraction), static_cast<int64_t>(all.size())), 1);
    rows.insert(rows.end(), all.begin(), all.begin() + count);
  }
  return Sorted(dataset, std::move(rows));
}

Dataset SelectBiased(const Dataset& dataset, double low, double high,
                     uint64_t seed) {
  RequireLabels(dataset);
  RequireShare(low, 0);
  RequireShare(high, 0);
  const int64_t shares[2] = {Billionths(low), Billionths(high)};
  // Of two complementary selections, one takes the front of each class and the
  // other the back. The first share that is not 0.5 decides which one this is.
  const int64_t telling = 2 * shares[0] != kWhole ? shares[0] : shares[1];
  const bool front = 2 * telling <= kWhole;
  const auto classes = ShuffledClasses(dataset, seed);
  Rows rows;
  for (size_t label = 0; label < classes.size(); ++label) {
    const Rows& all = classes[label];
    const int64_t share = shares[label < classes.size() / 2 ? 0 : 1];
    const int64_t size = static_cast<int64_t>(all.size());
    const int64_t cut = CountOf(front ? share : kWhole - share, size);
    rows.insert(rows.end(), all.begin() + (front ? 0 : cut),
                all.begin() + (front ? cut : size));
  }
  return Sorted(dataset, std::move(rows));
}

}  // namespace rebasin
