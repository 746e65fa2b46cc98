// Finds further claims from the values and laws in which atoms occur together.

#ifndef REBASIN_DISCOVERY_CLAIM_SEARCH_H_
#define REBASIN_DISCOVERY_CLAIM_SEARCH_H_

#include <map>
#include <vector>

#include "discovery/algebra.h"
#include "discovery/law.h"

namespace rebasin {

// Valid until the algebra changes. Keeps references to its arguments.
class ClaimSearch {
 public:
  ClaimSearch(const std::vector<std::vector<Expression>>& values,
              const std::vector<Law>& laws, AxisAlgebra& algebra);

  // Looks for an atom that `atom` can lie within in all values and laws, and
  // adds that claim.
  void TryClaims(AtomId atom) const;

 private:
  struct Places {
    std::vector<size_t> values;
    std::vector<size_t> laws;
  };

  void Note(const std::vector<Expression>& axes, size_t index,
            std::vector<size_t> Places::*list);
  std::vector<AtomId> AtomsAlwaysBeside(AtomId atom) const;
  bool IsConsistent(AtomId atom, const Places& places) const;

  const std::vector<std::vector<Expression>>& values_;
  const std::vector<Law>& laws_;
  AxisAlgebra& algebra_;
  std::map<AtomId, Places> places_;
};

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_CLAIM_SEARCH_H_
