#include "match/costs/cost_part.h"

#include <algorithm>
#include <cassert>

#include "tensor/gemm.h"

namespace rebasin {

int64_t CostPart::bytes() const {
  if (factors) return factors->bytes();
  return n() * n() * static_cast<int64_t>(sizeof(float));
}

void CostPart::Allocate() {
  if (factors) return factors->Allocate();
  if (gram.empty()) gram.assign(n() * n(), 0.0f);
}

void CostPart::Clear() {
  if (factors) return factors->Clear();
  std::fill(gram.begin(), gram.end(), 0.0f);
}

void CostPart::Release() {
  if (factors) return factors->Release();
  std::vector<float>().swap(gram);
}

double CostPart::Value(std::span<const int64_t> columns) const {
  if (factors) return factors->Value(columns);
  double value = 0;
  for (int64_t i = 0; i < n(); ++i) value += gram[i * n() + columns[i]];
  return value;
}

void CostTarget::Add(const GatherSource& a, const GatherSource& b,
                     int64_t begin, ThreadPool& pool,
                     GemmOperands operands) const {
  if (part.factors) {
    assert(b.subtracted.empty());
    return part.factors->Put(a, b, step + begin);
  }
  const auto k = static_cast<int64_t>(a.steps.size());
  GemmAdd(pool, {.m = part.n(), .n = part.n(), .k = k}, PackGathered(a),
          PackGathered(b), part.gram.data(), part.n(), operands);
}

}  // namespace rebasin
