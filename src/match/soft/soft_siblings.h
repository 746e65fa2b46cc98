// Soft matrices of sibling groups that meet in a tensor: one for each group and
// each pair of outer units. The soft matrix of their combined index is the
// product of these and of the outer one; it is never written out, since it
// would have the square of the tensor's size.

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

  // Takes the groups of the parts that have factors. Their matrices start at
  // 1/n; those that are there already stay.
  void Add(std::span<const CostPart> parts);

  // Whether the slot is one of siblings that meet, or of one of them alone.
  bool Meet(const Slot& slot) const;
  bool IsOne(const Slot& slot) const;

  // Softens the groups in turn, for each pair of outer units: by what tensors
  // of one group alone say, and what those of several say with the others as
  // they stand. Adds the expected values to the costs of the pairs.
  void Soften(std::span<const CostPart> parts, const Softener& soften,
              ThreadPool& pool, Matrix& outer_costs);
  void SetOuter(Matrix outer) { outer_ = std::move(outer); }

  // The matrices of one group, pair by pair.
  const Matrix& Inside(int group) const { return inside_.at(group).matrices; }

  // Of a part with factors, as last softened.
  double ExpectedValue(const CostPart& part) const;

  // As in match/soft_block.h, for a slot of siblings that meet.
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
  // Of parts with factors: the expected value for each pair.
  std::map<std::vector<int>, std::vector<double>> values_;
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_SOFT_SOFT_SIBLINGS_H_
