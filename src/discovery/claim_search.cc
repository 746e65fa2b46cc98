#include "discovery/claim_search.h"

#include <algorithm>
#include <set>

namespace rebasin {
namespace {

std::set<AtomId> FreeAtoms(const std::vector<Expression>& axes,
                           AxisAlgebra& algebra) {
  std::set<AtomId> atoms;
  for (const Expression& axis : axes) {
    for (const Product& product : algebra.Multiplied(axis)) {
      for (AtomId atom : product) {
        if (!algebra.IsFixed(atom)) atoms.insert(atom);
      }
    }
  }
  return atoms;
}

bool Contains(const std::vector<AtomId>& atoms, AtomId atom) {
  return std::find(atoms.begin(), atoms.end(), atom) != atoms.end();
}

}  // namespace

ClaimSearch::ClaimSearch(const std::vector<std::vector<Expression>>& values,
                         const std::vector<Law>& laws, AxisAlgebra& algebra)
    : values_(values), laws_(laws), algebra_(algebra) {
  for (size_t v = 0; v < values.size(); ++v) {
    Note(values[v], v, &Places::values);
  }
  for (size_t l = 0; l < laws.size(); ++l) {
    std::vector<Expression> axes;
    for (const auto& operand : laws[l].operands) {
      for (const LabelledAxis& axis : operand) axes.push_back(axis.axis);
    }
    Note(axes, l, &Places::laws);
  }
}

void ClaimSearch::Note(const std::vector<Expression>& axes, size_t index,
                       std::vector<size_t> Places::*list) {
  for (AtomId atom : FreeAtoms(axes, algebra_)) {
    (places_[atom].*list).push_back(index);
  }
}

// The atoms that occur together with this one in all values.
std::vector<AtomId> ClaimSearch::AtomsAlwaysBeside(AtomId atom) const {
  std::set<AtomId> companions;
  bool first = true;
  for (size_t v : places_.at(atom).values) {
    const std::set<AtomId> here = FreeAtoms(values_[v], algebra_);
    if (first) companions = here;
    std::erase_if(companions, [&](AtomId a) { return !here.contains(a); });
    first = false;
    if (companions.size() == 1) break;
  }
  companions.erase(atom);
  return {companions.begin(), companions.end()};
}

bool ClaimSearch::IsConsistent(AtomId atom, const Places& places) const {
  for (size_t v : places.values) {
    if (Contains(ClaimsWithoutOuter(values_[v], algebra_), atom)) return false;
  }
  for (size_t l : places.laws) {
    if (Contains(ClaimsBreakingLaw(laws_[l], algebra_), atom)) return false;
  }
  return true;
}

void ClaimSearch::TryClaims(AtomId atom) const {
  if (!places_.contains(atom)) return;
  for (AtomId outer : AtomsAlwaysBeside(atom)) {
    if (algebra_.LiesWithin(outer, atom)) continue;
    algebra_.Claim(atom, outer);
    const bool holds =
        algebra_.Outer(atom) == outer && IsConsistent(atom, places_.at(atom));
    if (holds) return;
    algebra_.Withdraw(atom);
  }
}

}  // namespace rebasin
