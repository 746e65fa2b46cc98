#include "nn/held_back.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/seeds.h"
#include "rebasin/error.h"

namespace rebasin::nn {
namespace {

constexpr int64_t kMostByDefault = 5000, kFullBatch = 250;
// Apart from what the loader makes of the same seed.
constexpr uint64_t kStream = 0x68656c64;

Dataset SelectSorted(const Dataset& data, std::span<const int32_t> chosen) {
  std::vector<int64_t> rows(chosen.begin(), chosen.end());
  std::sort(rows.begin(), rows.end());
  return data.Select(rows);
}

int64_t CountFor(const Dataset& data, int64_t count) {
  if (count < 0) {
    throw Error(ErrorCode::kUsage, "examples held back are 0 or more");
  }
  if (count >= data.size()) {
    throw Error(ErrorCode::kUsage, "cannot hold back " + std::to_string(count) +
                                       " of " + std::to_string(data.size()) +
                                       " examples");
  }
  if (count > 0) return count;
  return std::clamp<int64_t>(data.size() / 10, 1, kMostByDefault);
}

}  // namespace

HeldBack HoldBack(const Dataset& data, int64_t count, bool full_batches,
                  uint64_t seed) {
  if (data.size() < 2) {
    throw Error(ErrorCode::kMismatch,
                data.empty()
                    ? "the data set is empty"
                    : "one example cannot be trained on and held back");
  }
  count = CountFor(data, count);
  const int64_t batch = std::min(count, kFullBatch);
  if (full_batches) count -= count % batch;
  const std::vector<int32_t> order =
      Random(DeriveSeed(seed, kStream)).Permutation(data.size());
  const std::span rows(order);
  return {.train = SelectSorted(data, rows.subspan(count)),
          .judge = SelectSorted(data, rows.first(count)),
          .batch_size = full_batches ? batch : 0};
}

}  // namespace rebasin::nn
