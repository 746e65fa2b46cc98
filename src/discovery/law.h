// The law that nearly every operator obeys.
//
// Give each axis of an operator's inputs and outputs a label, so that axes with
// the same label run over the same index: a product of matrices is (m,k) (k,n)
// -> (m,n), an addition (i,j) (i,j) -> (i,j). If the operator treats all
// indices of a label alike, permuting the label everywhere at once permutes the
// output and changes nothing else. Labels whose indices it does not treat alike
// (the window of a convolution) are fixed.
//
// A label is *mixed* if the operator combines numbers at different indices of
// it: it sums over the label or normalises along it. Then an atom within the
// label cannot have a permutation of its own for each index, unless that atom's
// label is mixed too.

#ifndef REBASIN_DISCOVERY_LAW_H_
#define REBASIN_DISCOVERY_LAW_H_

#include <set>
#include <vector>

#include "discovery/algebra.h"

namespace rebasin {

// The label of axes of size 1, of broadcast axes and of new axes.
inline constexpr int kNoLabel = -1;

using Labels = std::vector<int>;  // one for each axis of a value

struct LabelledAxis {
  int label = kNoLabel;
  Expression axis;

  friend bool operator==(const LabelledAxis&, const LabelledAxis&) = default;
};

// The labelled axes of one node, used to check claims.
struct Law {
  std::vector<std::vector<LabelledAxis>> operands;
  std::set<int> mixed;
};

// Returns the atoms whose claim to lie within another violates the law,
// assuming that axes with the same label are equal.
std::vector<AtomId> ClaimsBreakingLaw(const Law& law, AxisAlgebra& algebra);

// The same for the axes of one value: the outer atom of each claim must occur
// once, either in the same product, or as a factor of another axis that is a
// single product.
std::vector<AtomId> ClaimsWithoutOuter(const std::vector<Expression>& axes,
                                       AxisAlgebra& algebra);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_LAW_H_
