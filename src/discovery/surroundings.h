// Where each atom stands, and what stands beside it there.

#ifndef REBASIN_DISCOVERY_SURROUNDINGS_H_
#define REBASIN_DISCOVERY_SURROUNDINGS_H_

#include <map>
#include <vector>

#include "discovery/algebra.h"
#include "discovery/law.h"

namespace rebasin {

// Valid until something new is learnt. Refers to what it is given.
class Surroundings {
 public:
  Surroundings(const std::vector<std::vector<Expression>>& values,
               const std::vector<Law>& laws, AxisAlgebra& algebra);

  // Lets `atom` claim to lie within another, if there is one that it can lie
  // within in all of its places.
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
