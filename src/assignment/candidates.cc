#include "assignment/candidates.h"

#include <algorithm>

namespace rebasin::assignment {
namespace {

// A list is made only if it lasts for several price steps.
constexpr float kStepsWorthAList = 4;

// Short rows get no lists: gathering prices takes longer than reading them in
// order.
constexpr size_t kRowsWorthLists = 192;

}  // namespace

Candidates::Candidates(const Problem& problem, std::span<const float> ranges)
    : problem_(problem),
      lists_(problem.n()),
      columns_(std::make_unique_for_overwrite<int32_t[]>(problem.n() * kRoom)),
      costs_(std::make_unique_for_overwrite<float[]>(problem.n() * kRoom)),
      reach_(0.1f) {
  for (size_t i = 0; i < lists_.size(); ++i) {
    lists_[i] = {-kInfinity<float>, ranges[i], 0};
  }
}

Minima<float> Candidates::TwoCheapest(size_t row,
                                      const std::vector<float>& prices,
                                      float epsilon) {
  const List& list = lists_[row];
  if (list.size < 2) return Scan(row, prices, epsilon);
  const int32_t* columns = &columns_[row * kRoom];
  auto minima = TwoMinimaOfList(&costs_[row * kRoom], columns, prices.data(),
                                PaddedSize(list.size));
  if (minima.second > list.limit) return Scan(row, prices, epsilon);
  minima.column = columns[minima.column];
  return minima;
}

void Candidates::OnPricesLowered(float amount) {
  for (List& list : lists_) list.limit -= amount;
}

std::span<const int32_t> Candidates::Columns(size_t row) const {
  return {&columns_[row * kRoom], lists_[row].size};
}

std::span<const float> Candidates::Costs(size_t row) const {
  return {&costs_[row * kRoom], lists_[row].size};
}

Minima<float> Candidates::Scan(size_t row, const std::vector<float>& prices,
                               float epsilon) {
  const auto minima =
      TwoMinima(problem_.Row(row), problem_.scale, prices.data(), problem_.n());
  lists_[row].size = 0;
  if (problem_.n() >= kRowsWorthLists &&
      reach_ * lists_[row].range > kStepsWorthAList * epsilon) {
    Renew(row, prices, minima.best);
  }
  return minima;
}

// The reach adapts to recent lists, because the rows of a matrix are similar.
void Candidates::Renew(size_t row, const std::vector<float>& prices,
                       float best) {
  List& list = lists_[row];
  int32_t* columns = &columns_[row * kRoom];
  float* costs = &costs_[row * kRoom];
  for (int attempt = 0; attempt < 3; ++attempt) {
    list.limit = best + reach_ * list.range;
    const size_t size =
        ListBelow(problem_.Row(row), problem_.scale, prices.data(),
                  problem_.n(), list.limit, kCapacity, columns, costs);
    if (size <= kCapacity) {
      list.size = static_cast<uint32_t>(size);
      std::fill(columns + size, columns + PaddedSize(size), 0);
      std::fill(costs + size, costs + PaddedSize(size), kInfinity<float>);
      if (size < kCapacity / 2) reach_ *= 1.1f;
      return;
    }
    reach_ *= 0.7f;
  }
}

}  // namespace rebasin::assignment
