#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "data/seeds.h"
#include "rebasin/error.h"
#include "rebasin/nn/data.h"

namespace rebasin {
namespace {

constexpr int64_t kMaxByDefault = 5000, kFullBatch = 250;
// A separate stream from those that the loader derives from the seed.
constexpr uint64_t kStream = 0x68656c64;

int64_t CountFor(const Dataset& data, int64_t count) {
  if (count < 0) {
    throw Error(ErrorCode::kUsage,
                "the number of held-out examples must not be negative");
  }
  if (count >= data.size()) {
    throw Error(ErrorCode::kUsage, "cannot hold out " + std::to_string(count) +
                                       " of " + std::to_string(data.size()) +
                                       " examples");
  }
  if (count > 0) return count;
  return std::clamp<int64_t>(data.size() / 10, 1, kMaxByDefault);
}

// Returns the rows in an order in which every prefix has each class in
// proportion to its share, as far as possible: the k-th of the n examples of a
// class is at (k + 1/2) / n of the whole. The order within a class, and of
// classes at the same position, is random.
std::vector<int64_t> StratifiedOrder(const Dataset& data, uint64_t seed) {
  const auto shuffled =
      Random(DeriveSeed(seed, kStream)).Permutation(data.size());
  std::map<int32_t, int64_t> sizes, seen;
  const auto label = [&](int64_t row) {
    return data.has_labels() ? data.label(row) : 0;
  };
  for (const int64_t row : shuffled) ++sizes[label(row)];
  std::vector<std::pair<double, int64_t>> places;
  for (const int64_t row : shuffled) {
    const auto before = static_cast<double>(seen[label(row)]++);
    places.emplace_back((before + 0.5) / static_cast<double>(sizes[label(row)]),
                        row);
  }
  std::stable_sort(
      places.begin(), places.end(),
      [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<int64_t> order;
  for (const auto& [place, row] : places) order.push_back(row);
  return order;
}

Dataset SelectSorted(const Dataset& data, std::vector<int64_t> rows) {
  std::sort(rows.begin(), rows.end());
  return data.Select(rows);
}

}  // namespace

HeldOut HoldOut(const Dataset& data, int64_t count, bool full_batches,
                uint64_t seed) {
  if (data.size() < 2) {
    throw Error(ErrorCode::kMismatch,
                data.empty()
                    ? "the data set is empty"
                    : "one example cannot be both trained on and held out");
  }
  count = CountFor(data, count);
  const int64_t batch = std::min(count, kFullBatch);
  if (full_batches) count -= count % batch;
  const std::vector<int64_t> order = StratifiedOrder(data, seed);
  return {
      .train = SelectSorted(data, {order.begin() + count, order.end()}),
      .held_out = SelectSorted(data, {order.begin(), order.begin() + count}),
      .batch_size = full_batches ? batch : 0};
}

}  // namespace rebasin
