// The costs of sibling groups that meet in one tensor (outputs and inputs of a
// grouped convolution), as the two factors of a matrix product.
//
//   cost[i][j] = sum over k of a[i][k] * b[j][k]
//
// i and j run over the combined index of the outer group and all siblings. The
// product would have the square of the tensor's size: 4 GB for 32 groups of 32
// by 32 channels, whose weights are 1.2 MB. Only sums over all siblings except
// one are needed, and those are cheaper to compute from the factors.

#ifndef REBASIN_MATCH_COSTS_SIBLING_FACTORS_H_
#define REBASIN_MATCH_COSTS_SIBLING_FACTORS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "match/costs/gather.h"
#include "rebasin/symmetry.h"
#include "symmetry/layout.h"

namespace rebasin {

// True if two of the slot's groups are siblings: neither is inside the other.
bool HasSiblings(const Slot& slot, const Symmetry& symmetry);

// The slot's chains: each innermost group of the slot with all groups around
// it. Strides are those of the chain's own index.
std::vector<Slot> ChainsOf(const Slot& slot, const Symmetry& symmetry);

class SiblingFactors {
 public:
  // `slot` has the strides of its combined index; `steps` is the total number
  // of contracted positions.
  SiblingFactors(const Slot& slot, int64_t steps);

  int64_t steps() const { return steps_; }
  int64_t bytes() const;  // when allocated
  bool allocated() const { return !along_[1].a.empty(); }
  void Allocate();  // sets all to zero if not yet allocated
  void Clear();     // sets all to zero, keeps the memory
  void Release();

  // Stores the steps from `begin` on. Units are those of the combined index.
  void Put(const GatherSource& a, const GatherSource& b, int64_t begin);

  // The factors laid out for sums over all dimensions except `dim`, which must
  // not be the first: [all other dimensions, in order][steps][width of dim],
  // with rows padded with zeros. The elements of one unit of the first
  // dimension are contiguous.
  const float* a(size_t dim) const { return along_[dim].a.data(); }
  const float* b(size_t dim) const { return along_[dim].b.data(); }
  int64_t width(size_t dim) const { return along_[dim].width; }
  // Floats for each position of the other dimensions.
  int64_t block(size_t dim) const { return steps_ * along_[dim].width; }

  // The sum of cost[i][columns[i]].
  double Value(std::span<const int64_t> columns) const;

 private:
  struct Along {
    std::vector<float> a, b;
    int64_t width = 0;
    // The position of the first step of each combined index.
    std::vector<int64_t> places;
  };

  int64_t n_, steps_;
  std::vector<Along> along_;  // by dimension; the first is not used
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_COSTS_SIBLING_FACTORS_H_
