#include "data/stratified.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/random.h"

namespace rebasin {

std::vector<int64_t> StratifiedOrder(const Dataset& data, uint64_t seed) {
  const auto shuffled = Random(seed).Permutation(data.size());
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

}  // namespace rebasin
