// Represents signs as permutations of two elements.
//
// Permutations with signs are a wreath product: within each unit the two
// elements of {w, -w} may be exchanged. So a model with signs is expanded to
// (w, -w) / sqrt(2), with a group of size two inside the units' group for each
// sign. Matching expanded models finds permutations and signs together, with
// the inner products of the original models.
//
// Signs that meet in one place (a norm's own sign, and that of the stream it
// reads) would have to be found together for each pair of units. Of those, only
// the sign that acts on most weights is expanded.

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
  // For a symmetry with scalings; scales are ignored.
  explicit SignedModels(std::shared_ptr<const Symmetry> symmetry);

  // The groups of the original symmetry, then one group for each expanded sign.
  // Without statistics.
  const std::shared_ptr<const Symmetry>& symmetry() const { return expanded_; }

  // The signs that are not expanded.
  std::vector<int> LeftOut() const;

  // Returns the matched tensors, expanded; those with signs as F32, the others
  // unchanged.
  Checkpoint Expand(const Checkpoint& model) const;

  // Convert alignments from the expanded symmetry to the original one, and
  // back.
  Alignment Read(const Alignment& expanded) const;
  Alignment Write(const Alignment& alignment) const;

 private:
  std::shared_ptr<const Symmetry> symmetry_, expanded_;
  std::vector<int> sign_groups_;  // by scaling; kNoGroup: not expanded
};

}  // namespace rebasin

#endif  // REBASIN_MATCH_SCALED_SIGNED_MODELS_H_
