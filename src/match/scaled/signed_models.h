// Signs as permutations of two.
//
// Permutations with signs are a wreath product: within each unit, the two
// elements of {w, -w} may be exchanged. So a model whose units have signs is
// written out twice, (w, -w) / sqrt(2), with a group of two within the units'
// group for each sign: matching such models as any others finds permutations
// and signs together, and inner products are those of the models themselves.
//
// Signs that meet in one place (a norm's own, and that of the stream it reads)
// would have to be found together for each pair of units. So of those only the
// one that acts on most weights is written out; the others are left as they
// are.

#ifndef REBASIN_MATCH_SCALED_SIGNED_MODELS_H_
#define REBASIN_MATCH_SCALED_SIGNED_MODELS_H_

#include <memory>
#include <vector>

#include "rebasin/alignment.h"
#include "rebasin/checkpoint.h"
#include "rebasin/symmetry.h"

namespace rebasin {

class SignedModels {
 public:
  // Of a symmetry with scalings; scales play no part.
  explicit SignedModels(std::shared_ptr<const Symmetry> symmetry);

  // The groups of `symmetry`, then one for each sign that is written out.
  // Without statistics.
  const std::shared_ptr<const Symmetry>& symmetry() const { return expanded_; }

  // The signs that are not written out.
  std::vector<int> LeftOut() const;

  // The tensors that take part in matching, written out; those with signs as
  // F32, the others as they are.
  Checkpoint Expand(const Checkpoint& model) const;

  // From alignments of the expanded symmetry to those of the symmetry, and
  // back.
  Alignment Read(const Alignment& expanded) const;
  Alignment Write(const Alignment& alignment) const;

 private:
  std::shared_ptr<const Symmetry> symmetry_, expanded_;
  std::vector<int> sign_groups_;  // by scaling; kNoGroup: not written out
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_SCALED_SIGNED_MODELS_H_
