// Soft matrices of sibling groups that meet in a tensor: one for each group and
// pair of outer units. The soft matrix of their combined index is the product
// of these and the outer matrix. It is never computed, since it would have the
// square of the tensor's size.

#ifndef REBASIN_MATCH_SOFT_SOFT_SIBLINGS_H_
#define REBASIN_MATCH_SOFT_SOFT_SIBLINGS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "assignment/assignment.h"
#include "base/parallel.h"
#include "match/costs/cost_part.h"
#include "match/soft/soft_block.h"

namespace rebasin {

class SoftSiblings {
 public:
  using Matrix = std::vector<float>;
  using Softener = std::function<Matrix(const CostMatrix&)>;

  // Adds the groups of parts that have factors. New matrices start at 1/n;
  // existing ones stay.
  void Add(std::span<const CostPart> parts);

  // True if the slot has siblings that meet, or one of them alone.
  bool Meet(const Slot& slot) const;
  bool IsOne(const Slot& slot) const;

  // Recomputes the groups' matrices in turn for each pair of outer units, from
  // the tensors with one group alone and from those with several groups, given
  // the current matrices of the others. Adds the expected values to the costs
  // of the pairs.
  void Soften(std::span<const CostPart> parts, const Softener& soften,
              ThreadPool& pool, Matrix& outer_costs);
  void SetOuter(Matrix outer) { outer_ = std::move(outer); }

  // The matrices of one group, pair by pair.
  const Matrix& Inside(int group) const { return inside_.at(group).matrices; }

  // For a part with factors, as of the last Soften.
  double ExpectedValue(const CostPart& part) const;

  // Like Mix in match/soft/soft_block.h, for a slot of siblings that meet.
  SoftBlock Mix(const BlockView& from, int slot, ThreadPool& pool) const;

 private:
  struct Sibling {
    int64_t size = 0;
    Matrix matrices;  // size x size for each pair

    std::span<const float> Of(int64_t pair) const {
      const int64_t count = size * size;
      return std::span(matrices).subspan(pair * count, count);
    }
  };

  void SoftenPair(std::span<const CostPart> parts, const Softener& soften,
                  int64_t pair, Matrix& outer_costs);
  bool Has(const CostPart& part, int group) const;
  Matrix CostsAlong(const CostPart& part, int group, int64_t pair) const;
  Matrix Softened(const CostPart& part, size_t dim, int64_t pair) const;
  void MixUnit(const Slot& slot, std::span<const float> units, int64_t row,
               std::span<float> out) const;

  int64_t n_ = 0;  // outer units
  std::map<int, Sibling> inside_;
  Matrix outer_;
  // For parts with factors: the expected value of each pair.
  std::map<std::vector<int>, std::vector<double>> values_;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_SOFT_SOFT_SIBLINGS_H_
