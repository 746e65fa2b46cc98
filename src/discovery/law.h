// The law that nearly every operator obeys.
//
// Give each axis of an operator's inputs and outputs a label, such that axes
// with the same label run over the same index: a product of matrices is
// (m,k) (k,n) -> (m,n), an addition (i,j) (i,j) -> (i,j). Then permuting a
// label everywhere at once permutes the output and changes nothing else,
// provided that the operator treats all indices of the label alike. Labels
// that it does not treat alike (the window of a convolution) are fixed.
//
// A label is *mixed* if numbers at different indices of it meet: it is summed
// over, or normalised along. Then what lies within it cannot have a
// permutation of its own for each of its indices, unless it is mixed too.

#ifndef REBASIN_DISCOVERY_LAW_H_
#define REBASIN_DISCOVERY_LAW_H_

#include <set>
#include <vector>

#include "discovery/algebra.h"

namespace rebasin {

// An axis without a label: of size 1, stretched along others, or new.
inline constexpr int kNoLabel = -1;

using Labels = std::vector<int>;  // one for each axis of a value

struct LabelledAxis {
  int label = kNoLabel;
  Expression axis;

  friend bool operator==(const LabelledAxis&, const LabelledAxis&) = default;
};

// What was tied at one node, for checking claims against.
struct Law {
  std::vector<std::vector<LabelledAxis>> operands;
  std::set<int> mixed;
};

// The atoms whose claim to lie within another breaks the law, given that axes
// with the same label are the same.
std::vector<AtomId> FindBreaches(const Law& law, AxisAlgebra& algebra);

// The same for the axes of one value: an atom must have the one it claims to
// lie within beside it, in its own product, or alone in charge of another
// axis.
std::vector<AtomId> FindStrays(const std::vector<Expression>& axes,
                               AxisAlgebra& algebra);

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_LAW_H_
