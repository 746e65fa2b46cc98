#include <algorithm>
#include <string>
#include <vector>

#include "data/seeds.h"
#include "data/stratified.h"
#include "rebasin/error.h"
#include "rebasin/nn/data.h"

namespace rebasin {
namespace {

constexpr int64_t kMaxByDefault = 5000, kFullBatch = 250;
// Separate from the streams of the loader and of SelectRandom.
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
  const std::vector<int64_t> order =
      StratifiedOrder(data, DeriveSeed(seed, kStream));
  return {
      .train = SelectSorted(data, {order.begin() + count, order.end()}),
      .held_out = SelectSorted(data, {order.begin(), order.begin() + count}),
      .batch_size = full_batches ? batch : 0};
}

}  // namespace rebasin
