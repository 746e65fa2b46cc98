// Nesting: which atom lies within which, and the instances of atoms within
// fixed ones.

#include <algorithm>
#include <cassert>
#include <utility>

#include "discovery/algebra.h"

namespace rebasin {
namespace {

bool Contains(const std::vector<AtomId>& list, AtomId atom) {
  return std::find(list.begin(), list.end(), atom) != list.end();
}

void AddOnce(std::vector<AtomId>& list, AtomId atom) {
  if (!Contains(list, atom)) list.push_back(atom);
}

}  // namespace

// Resolves claims whose target has been bound. A claim to lie within a product
// means its innermost factor. A claim to lie within a sum is replaced by the
// claims of the bound atom.
std::vector<AtomId> AxisAlgebra::ResolvedClaims(AtomId atom) {
  std::vector<AtomId> result;
  std::vector<AtomId> open = atoms_[atom].claims;
  std::vector<AtomId> seen;
  for (size_t i = 0; i < open.size(); ++i) {
    const AtomId claim = open[i];
    if (Contains(seen, claim)) continue;
    seen.push_back(claim);
    const Atom& outer = atoms_[claim];
    if (states_[claim] != kBound) {
      if (claim != atom) AddOnce(result, claim);
    } else if (outer.binding.size() == 1) {
      open.push_back(outer.binding[0].back());
    } else {
      for (const AtomId next : outer.claims) open.push_back(next);
    }
  }
  atoms_[atom].claims = result;
  return result;
}

// The atom and all atoms that it lies within, innermost first.
std::vector<AtomId> AxisAlgebra::ChainOf(AtomId atom,
                                         std::vector<AtomId>& visited) {
  std::vector<AtomId> chain;
  while (atom != kNoAtom && !Contains(chain, atom)) {
    chain.push_back(atom);
    atom = OuterOf(atom, visited);
  }
  return chain;
}

// If there are several claims, the innermost atom that they have in common is
// tried first: one that each claim is or lies within. Then each claim is tried
// in turn.
AtomId AxisAlgebra::OuterOf(AtomId atom, std::vector<AtomId>& visited) {
  if (Contains(visited, atom)) return kNoAtom;  // claims in a circle
  const AtomId outer = ClaimedOuter(atom, visited);
  // A fixed atom does not move, but passes on what it lies within: in
  // heads*3*size, `size` lies within heads. A fixed atom within a fixed one
  // would give the same instance two names.
  const bool both = outer != kNoAtom && IsFixed(outer) && IsFixed(atom);
  return both ? kNoAtom : outer;
}

AtomId AxisAlgebra::ClaimedOuter(AtomId atom, std::vector<AtomId>& visited) {
  const std::vector<AtomId> claims = ResolvedClaims(atom);
  if (claims.empty()) return kNoAtom;
  if (claims.size() == 1) return claims[0];
  visited.push_back(atom);
  std::vector<AtomId> common = ChainOf(claims[0], visited);
  for (size_t i = 1; i < claims.size(); ++i) {
    const std::vector<AtomId> chain = ChainOf(claims[i], visited);
    std::erase_if(common, [&](AtomId a) { return !Contains(chain, a); });
  }
  visited.pop_back();
  std::erase(common, atom);
  return common.empty() ? claims[0] : common[0];
}

AtomId AxisAlgebra::Outer(AtomId atom) {
  std::vector<AtomId> visited;
  const AtomId outer = OuterOf(atom, visited);
  if (outer == kNoAtom) return kNoAtom;
  // A circle of claims (each atom within the other) is ignored.
  std::vector<AtomId> chain;
  for (AtomId a = outer; a != kNoAtom && !Contains(chain, a);) {
    chain.push_back(a);
    a = OuterOf(a, visited);
  }
  return Contains(chain, atom) ? kNoAtom : outer;
}

bool AxisAlgebra::LiesWithin(AtomId atom, AtomId outer) {
  if (states_[atom] == kBound) {
    const Expression resolved = Resolve({{atom}});
    return std::any_of(resolved.begin(), resolved.end(), [&](const auto& p) {
      return std::any_of(p.begin(), p.end(),
                         [&](AtomId a) { return LiesWithin(a, outer); });
    });
  }
  std::vector<AtomId> seen;
  for (AtomId a = Outer(atom); a != kNoAtom && !Contains(seen, a);
       a = Outer(a)) {
    if (a == outer) return true;
    seen.push_back(a);
  }
  return false;
}

void AxisAlgebra::Claim(AtomId atom, AtomId outer) {
  atoms_[atom].claims.push_back(outer);
  atoms_[outer].is_claimed = true;
}

void AxisAlgebra::Withdraw(AtomId atom) {
  const AtomId outer = Outer(atom);
  if (outer == kNoAtom) return;
  const AtomId next = Outer(outer);
  std::vector<AtomId> left;
  for (AtomId claim : ResolvedClaims(atom)) {
    const bool same = claim == outer || LiesWithin(claim, outer);
    const AtomId kept = same ? next : claim;
    if (kept != kNoAtom) AddOnce(left, kept);
  }
  ++knowledge_;
  atoms_[atom].claims = std::move(left);
  MergeStaleInstancesOf(atom);
}

void AxisAlgebra::WithdrawAll() {
  for (Atom& atom : atoms_) atom.claims.clear();
  ++knowledge_;
  MergeStaleInstances();
}

bool AxisAlgebra::MergeStaleInstances() {
  const int64_t before = knowledge_;
  for (size_t atom = 0; atom < atoms_.size(); ++atom) {
    if (states_[atom] != kBound) {
      MergeStaleInstancesOf(static_cast<AtomId>(atom));
    }
  }
  return knowledge_ != before;
}

void AxisAlgebra::MergeStaleInstancesOf(AtomId atom) {
  const auto instances = atoms_[atom].instances;
  for (const auto& [key, instance] : instances) {
    if (LiesWithin(atom, Representative(key.first))) continue;
    atoms_[atom].instances.erase(key);
    Unify({{instance}}, {{atom}}, kInexpressible);
  }
}

Expression AxisAlgebra::Instance(const Expression& expression, AtomId outer,
                                 int64_t index) {
  Expression result = Resolve(expression);
  for (Product& product : result) {
    for (AtomId& atom : product) {
      if (!LiesWithin(atom, outer)) continue;
      atom = IsSum(atom) ? SumAtom(Instance({{atom}}, outer, index))
                         : InstanceOf(atom, outer, index);
    }
  }
  return Resolve(result);
}

std::vector<AtomId> AxisAlgebra::WithInstances(AtomId atom) {
  std::vector<AtomId> atoms = {atom};
  for (size_t i = 0; i < atoms.size(); ++i) {
    const auto instances = atoms_[atoms[i]].instances;
    for (const auto& [key, instance] : instances) {
      for (const Product& product : Resolve({{instance}})) {
        for (AtomId each : product) AddOnce(atoms, each);
      }
    }
  }
  return atoms;
}

// The atom that `atom` is bound to, following single bindings. Shortens the
// path for the next call.
AtomId AxisAlgebra::Representative(AtomId atom) {
  const auto renamed = [&](AtomId a) {
    const Atom& data = atoms_[a];
    return states_[a] == kBound && data.binding.size() == 1 &&
           data.binding[0].size() == 1;
  };
  AtomId last = atom;
  while (renamed(last)) last = atoms_[last].binding[0][0];
  while (atom != last) {
    atom = std::exchange(atoms_[atom].binding[0][0], last);
  }
  return last;
}

AtomId AxisAlgebra::InstanceOf(AtomId atom, AtomId outer, int64_t index) {
  for (const auto& [key, instance] : atoms_[atom].instances) {
    const bool same = Representative(key.first) == outer;
    if (same && key.second == index) return instance;
  }
  const AtomId instance = NewAtom(atoms_[atom].size);
  states_[instance] = states_[atom];
  atoms_[instance].cause = atoms_[atom].cause;
  atoms_[instance].is_claimed = atoms_[atom].is_claimed;
  atoms_[atom].instances.emplace(std::make_pair(outer, index), instance);
  const AtomId direct = Outer(atom);
  const AtomId above = direct == outer ? Outer(outer)
                       : direct != kNoAtom && LiesWithin(direct, outer)
                           ? InstanceOf(direct, outer, index)
                           : direct;
  if (above != kNoAtom) {
    atoms_[instance].claims = {above};
    atoms_[above].is_claimed = true;
  }
  return instance;
}

}  // namespace rebasin
