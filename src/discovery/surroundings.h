// Finds further claims from the values and laws in which atoms occur together.

#ifndef REBASIN_DISCOVERY_SURROUNDINGS_H_
#define REBASIN_DISCOVERY_SURROUNDINGS_H_

#include <map>
#include <vector>

#include "discovery/algebra.h"
#include "discovery/law.h"

namespace rebasin {

// Valid until the algebra changes. Keeps references to its arguments.
class Surroundings {
 public:
  Surroundings(const std::vector<std::vector<Expression>>& values,
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
  std::vector<AtomId> Companions(AtomId atom) const;
  bool Holds(AtomId atom, const Places& places) const;

  const std::vector<std::vector<Expression>>& values_;
  const std::vector<Law>& laws_;
  AxisAlgebra& algebra_;
  std::map<AtomId, Places> places_;
};

}  // namespace rebasin

#endif  // REBASIN_DISCOVERY_SURROUNDINGS_H_
